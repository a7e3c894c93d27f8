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

/** Ingests every missing site of the known accounts, or of all accounts of the network. */
export async function runBackfill(options: BackfillOptions, signal: AbortSignal): Promise<void> {
  const mayBeNew = options.all === true
  await using upkeep = await openUpkeep({ ...options, mayBeNew }, signal)
  const queued = mayBeNew ? await queueAll(upkeep) : await enqueueKnownAccounts(upkeep)
  console.log(`${counted(queued, 'account')} to check`)
  const totals = await backfill({
    ...upkeep,
    onAccount: (did, { status, synced, errors }) => {
      if (status !== 'active') console.log(`${did}  ${status}`)
      else if (synced + errors.length > 0) console.log(`${did}  ${counted(synced, 'site')}`)
      for (const { rkey, error } of errors) console.log(`${did}/${rkey}  ${error}`)
    },
  })
  if (signal.aborted) throw new StartError('stopped; the next backfill continues')
  printTotals(queued, totals)
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
        `the relay of RELAY_URL returned an unusable answer (${method}: ${field})`,
        { cause },
      )
    }
    if (!(cause instanceof ServerUnreachableError)) throw cause
    throw new StartError('the relay of RELAY_URL does not answer', { cause })
  }
}

function printTotals(
  queued: number,
  { accounts, sites, failedAccounts, failedSites }: BackfillTotals,
): void {
  const elsewhere = queued - accounts - failedAccounts
  if (elsewhere > 0) {
    console.log(`${counted(elsewhere, 'account')} left to the running service`)
  }
  console.log(`${counted(sites, 'site')} of ${counted(accounts, 'account')} here`)
  if (failedAccounts + failedSites === 0) return
  throw new StartError(
    `${counted(failedAccounts, 'account')} and ${counted(failedSites, 'site')} could not be read; the service retries them`,
  )
}
