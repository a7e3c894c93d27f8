import { counted } from '#cli/counted.ts'
import type { BackfillOptions } from '#cli/program.ts'
import { type BackfillTotals, backfill, enqueueNetwork } from '#ingest/backfill.ts'
import { StartError } from '#main/process/start-failure.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { enqueueKnownAccounts } from '#store/queues/enqueue.ts'
import { openUpkeep, type Upkeep } from './upkeep.ts'

/** Brings every site here that is not, of the accounts that are known or of all there are. */
export async function runBackfill(options: BackfillOptions, signal: AbortSignal): Promise<void> {
  const mayBeNew = options.all === true
  await using upkeep = await openUpkeep({ ...options, mayBeNew }, signal)
  const queued = mayBeNew ? await queueAll(upkeep) : await enqueueKnownAccounts(upkeep)
  console.log(`${counted(queued, 'account')} to look at`)
  const totals = await backfill({
    ...upkeep,
    onAccount: (did, { status, synced, errors }) => {
      if (status !== 'active') console.log(`${did}  ${status}`)
      else if (synced + errors.length > 0) console.log(`${did}  ${counted(synced, 'site')}`)
      for (const { rkey, error } of errors) console.log(`${did}/${rkey}  ${error}`)
    },
  })
  if (signal.aborted) throw new StartError('stopped; the rest is done by the next backfill')
  tellEnd(queued, totals)
}

async function queueAll(upkeep: Upkeep): Promise<number> {
  try {
    return await enqueueNetwork(upkeep.config.relayUrl, upkeep)
  } catch (cause) {
    if (cause instanceof ServerRefusedError) {
      throw new StartError(`the relay of RELAY_URL refused: ${cause.reason}`, { cause })
    }
    if (cause instanceof UnusableAnswerError) {
      const { field, method } = cause
      throw new StartError(
        `the relay of RELAY_URL gave an answer that cannot be used (${method}: ${field})`,
        { cause },
      )
    }
    if (!(cause instanceof ServerUnreachableError)) throw cause
    throw new StartError('the relay of RELAY_URL does not answer', { cause })
  }
}

function tellEnd(
  queued: number,
  { accounts, sites, failedAccounts, failedSites }: BackfillTotals,
): void {
  const elsewhere = queued - accounts - failedAccounts
  if (elsewhere > 0) {
    console.log(`${counted(elsewhere, 'account')} taken by the service that runs beside this`)
  }
  console.log(`${counted(sites, 'site')} of ${counted(accounts, 'account')} here`)
  if (failedAccounts + failedSites === 0) return
  throw new StartError(
    `${counted(failedAccounts, 'account')} and ${counted(failedSites, 'site')} could not be read; the service tries them again`,
  )
}
