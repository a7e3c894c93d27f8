import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUpSubscription, WakeUps } from '#store/database/wake-ups.ts'

/** What the wake-ups `jobs` of an instance are about; the only one on its database has no id. */
const aboutOf = (instance: string): string | undefined => instance || undefined

/** Has the instance look at its jobs. */
export function wakeJobsOf(instance: string, wakeUps: WakeUps): void {
  const about = aboutOf(instance)
  wakeUps.notify('jobs', about === undefined ? {} : { about })
}

export const subscribeToJobsOf = (instance: string, wakeUps: WakeUps): WakeUpSubscription =>
  wakeUps.subscribe('jobs', aboutOf(instance))

/** After a job of the account has ended on one instance: wakes the others that have jobs of the account, which waited for it. */
export async function wakeOthersWithJobs(
  db: Db,
  did: Did,
  { instance, wakeUps }: { readonly instance: string; readonly wakeUps: WakeUps },
): Promise<void> {
  if (instance === '') return
  const others = await db
    .selectFrom('jobs')
    .select('instance')
    .distinct()
    .where('did', '=', did)
    .where('status', '=', 'pending')
    .where('instance', '!=', instance)
    .execute()
  for (const other of others) wakeJobsOf(other.instance, wakeUps)
}
