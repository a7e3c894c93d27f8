import { setTimeout } from 'node:timers/promises'
import { backoff } from '#concurrency/backoff.ts'
import type { Db } from '#store/database/database.ts'
import { databaseNow, databaseTimeIn } from '#store/database/database-clock.ts'

/** How much the clocks of two machines may differ. */
export const clockSkewMs = 60_000

/** Another holder kept the lease for longer than `waitMsMax`. */
export class LeaseBusyError extends Error {
  override readonly name = 'LeaseBusyError'

  constructor(name: string) {
    super(`lease busy; lease=${name}`)
  }
}

interface LeaseTimes {
  /** On SQLite; PostgreSQL has its own. */
  readonly now?: () => number
  /** How long a dead holder blocks the others. */
  readonly leaseMs?: number
  /** How long to wait. Longer than the lease, else one process's death makes another fail. */
  readonly waitMsMax?: number
}

const pollMs = backoff({ min: 20, max: 400, jitter: 0.5 })

/**
 * Runs `work` while no other caller, in any process on this database, runs work with that name. Renews the lease
 * meanwhile: others overtake only a dead holder, or one whose process was suspended for longer than the lease. Throws
 * LeaseBusyError and what `work` throws.
 */
export async function withLease<T>(
  db: Db,
  name: string,
  work: () => Promise<T>,
  { now = Date.now, leaseMs = 30_000, waitMsMax = 45_000 }: LeaseTimes = {},
): Promise<T> {
  const lease = { name, holder: crypto.randomUUID() }
  const times = () => ({ now: now(), leaseMs })
  const givesUpAt = performance.now() + waitMsMax
  for (let failures = 0; !(await takeLease(db, lease, times())); failures++) {
    if (performance.now() > givesUpAt) throw new LeaseBusyError(name)
    await setTimeout(pollMs(failures))
  }
  // Another renewal follows a failed one, and the work cannot be undone.
  const renew = () => void renewLease(db, lease, times()).catch(() => undefined)
  const renewal = setInterval(renew, leaseMs / 3)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    // A lease that cannot be released expires.
    await releaseLease(db, lease).catch(() => undefined)
  }
}

interface Lease {
  readonly name: string
  readonly holder: string
}

interface HeldLease extends Lease {
  readonly leasedUntil: number
}

interface Term {
  /** On SQLite; PostgreSQL has its own. */
  readonly now: number
  readonly leaseMs: number
}

/** False while another holder has it. */
export function takeLease(
  db: Db,
  { name, holder }: Lease,
  { now, leaseMs }: Term,
): Promise<boolean> {
  const leasedUntil = databaseTimeIn(db, leaseMs, now)
  const taken = db
    .insertInto('leases')
    .values({ name, holder, leasedUntil })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, leasedUntil })
        .where((lease) =>
          lease.or([
            lease('leases.leasedUntil', '<=', databaseNow(db, now)),
            // The clock was ahead: no lease lasts so long.
            lease('leases.leasedUntil', '>', databaseTimeIn(db, leaseMs + clockSkewMs, now)),
          ]),
        ),
    )
  return hasWritten(taken.returning('name'))
}

/** False when there is a lease with that name, even an expired one. */
export function createLease(
  db: Db,
  { name, holder }: Lease,
  { now, leaseMs }: Term,
): Promise<boolean> {
  const created = db
    .insertInto('leases')
    .values({ name, holder, leasedUntil: databaseTimeIn(db, leaseMs, now) })
    .onConflict((conflict) => conflict.doNothing())
  return hasWritten(created.returning('name'))
}

export async function findLease(db: Db, name: string): Promise<HeldLease | null> {
  const found = db.selectFrom('leases').selectAll().where('name', '=', name)
  return (await found.executeTakeFirst()) ?? null
}

/** Takes the lease that was `seen`, expired or not; false when it has changed. */
export function takeOverLease(
  db: Db,
  seen: HeldLease,
  { holder }: Lease,
  { now, leaseMs }: Term,
): Promise<boolean> {
  const unchanged = ofHolder(db, seen).where('leasedUntil', '=', seen.leasedUntil)
  return hasWritten(
    unchanged.set({ holder, leasedUntil: databaseTimeIn(db, leaseMs, now) }).returning('name'),
  )
}

/** False when it is no longer the holder's. */
export function renewLease(db: Db, lease: Lease, { now, leaseMs }: Term): Promise<boolean> {
  return hasWritten(
    ofHolder(db, lease)
      .set({ leasedUntil: databaseTimeIn(db, leaseMs, now) })
      .returning('name'),
  )
}

const ofHolder = (db: Db, { name, holder }: Lease) =>
  db.updateTable('leases').where('name', '=', name).where('holder', '=', holder)

const hasWritten = async (query: { execute(): Promise<readonly object[]> }): Promise<boolean> =>
  (await query.execute()).length > 0

/** Does nothing when another holder has it by now. */
export async function releaseLease(db: Db, { name, holder }: Lease): Promise<void> {
  await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
}

/** Deletes the leases of dead holders. */
export async function deleteEndedLeases(db: Db, now: number): Promise<void> {
  await db.deleteFrom('leases').where('leasedUntil', '<=', databaseNow(db, now)).execute()
}
