import type { Db } from '#store/database/database.ts'
import { listLogEntries } from './log-entries.ts'

const entriesMax = 1_000

/** How many hosts the log names in this event since then, by its newest thousand entries. */
export async function countHosts(db: Db, event: string, since: number): Promise<number> {
  const entries = await listLogEntries(db, { eventType: event }, { limit: entriesMax })
  const hosts = entries.flatMap(({ at, context }) => (at >= since ? (context['host'] ?? []) : []))
  return new Set(hosts).size
}
