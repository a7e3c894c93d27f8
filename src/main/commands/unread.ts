import type { DataOptions } from '#cli/program.ts'
import { listUnread, type Unread } from '#store/queues/unread.ts'
import { openUpkeep } from './upkeep.ts'

/** There may be as many as there are sites. */
const listedMax = 1_000

/** Lists the sites, versions and accounts that could not be read: when the next attempt is, and the last error. */
export async function runUnread(options: DataOptions, signal: AbortSignal): Promise<void> {
  await using upkeep = await openUpkeep(options, signal)
  const unread = await listUnread(upkeep.db, listedMax + 1)
  for (const each of unread.slice(0, listedMax)) console.log(lineOf(each))
  if (unread.length === 0)
    console.error('nothing: every queued site, version and account could be read')
  if (unread.length > listedMax) console.error(`only the first ${listedMax} are listed`)
}

function lineOf({ did, name, attempts, error, nextAttemptAt }: Unread): string {
  const next = nextAttemptAt === null ? 'parked' : new Date(nextAttemptAt).toISOString()
  return `${name === null ? did : `${did}/${name}`}  ${next}  tried ${attempts} times  ${JSON.stringify(error)}`
}
