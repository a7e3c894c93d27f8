import type { Config } from '#main/config/config.ts'
import { renewalMsMax } from '#main/process/service-lease.ts'
import type { Log } from '#observe/log.ts'
import { openDatabase } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { type Duties, LeasedDuties, soleDuties } from '#store/duties.ts'

interface DutiesOptions {
  readonly config: Pick<Config, 'databaseUrl'>
  readonly log: Log
  readonly signal: AbortSignal
  readonly wakeUps: WakeUps
}

/** The duties of this thread: by leases where other instances may use the database. `opened` closes their connection. */
export function openDuties(
  { config, log, signal, wakeUps }: DutiesOptions,
  opened: AsyncDisposableStack,
): Duties {
  const { databaseUrl: url } = config
  if (url === undefined) return soleDuties(signal)
  const { db } = opened.use(openDatabase({ url, connectionsMax: 1, answerMsMax: renewalMsMax }))
  const duties = new LeasedDuties({ db, log, signal })
  opened.use(wakeUps.forward(['duties'], () => duties.wake()))
  return duties
}
