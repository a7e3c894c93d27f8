import { setTimeout } from 'node:timers/promises'
import { backoff } from '#concurrency/backoff.ts'
import type { Db } from '#store/database/database.ts'
import { clockSkewMs } from './times-ahead.ts'

/** Another holder kept the lease for longer than `waitMsMax`. */
export class LeaseBusyError extends Error {
  override readonly name = 'LeaseBusyError'

  constructor(name: string) {
    super(`somebody else is at it; lease=${name}`)
  }
}

interface LeaseTimes {
  readonly now?: () => number
  /** How long a holder that died keeps the others waiting. */
  readonly leaseMs?: number
  /** How long to wait for it. Longer than the lease, else the death of one is the failure of another. */
  readonly waitMsMax?: number
}

const pollMs = backoff({ min: 20, max: 400, jitter: 0.5 })

/**
 * Runs `work` while nobody else, in this process or another on this database, runs work of that name. The
 * lease is renewed while it runs: only a holder that died, or whose process stood still for longer than
 * the lease, is overtaken. Throws LeaseBusyError and what `work` throws.
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
  // A renewal that fails is followed by others, and the work cannot be taken back.
  const renew = () => void renewLease(db, lease, times()).catch(() => undefined)
  const renewal = setInterval(renew, leaseMs / 3)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    // The work is done; a lease that cannot be released expires.
    await releaseLease(db, lease).catch(() => undefined)
  }
}

interface Lease {
  readonly name: string
  readonly holder: string
}

/** False while another holder has it. */
export async function takeLease(
  db: Db,
  { name, holder }: Lease,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<boolean> {
  const leasedUntil = now + leaseMs
  const taken = await db
    .insertInto('leases')
    .values({ name, holder, leasedUntil })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, leasedUntil })
        .where((lease) =>
          lease.or([
            lease('leases.leasedUntil', '<=', now),
            // Of a holder whose clock was ahead: nobody has a lease for so long.
            lease('leases.leasedUntil', '>', now + leaseMs + clockSkewMs),
          ]),
        ),
    )
    .returning('name')
    .execute()
  return taken.length > 0
}

/** False where there is one of that name, whatever its time. */
export async function createLease(
  db: Db,
  { name, holder }: Lease,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<boolean> {
  const created = await db
    .insertInto('leases')
    .values({ name, holder, leasedUntil: now + leaseMs })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .execute()
  return created.length > 0
}

export async function findLease(
  db: Db,
  name: string,
): Promise<(Lease & { readonly leasedUntil: number }) | null> {
  const found = db.selectFrom('leases').selectAll().where('name', '=', name)
  return (await found.executeTakeFirst()) ?? null
}

/** Takes the lease that was `seen`, whatever its time; false when it is not as it was. */
export async function takeOverLease(
  db: Db,
  seen: Lease & { readonly leasedUntil: number },
  { holder }: Lease,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<boolean> {
  const taken = await db
    .updateTable('leases')
    .set({ holder, leasedUntil: now + leaseMs })
    .where('name', '=', seen.name)
    .where('holder', '=', seen.holder)
    .where('leasedUntil', '=', seen.leasedUntil)
    .returning('name')
    .execute()
  return taken.length > 0
}

/** Prolongs what is still the holder's; false when it is not. */
export async function renewLease(
  db: Db,
  { name, holder }: Lease,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<boolean> {
  const renewed = await db
    .updateTable('leases')
    .set({ leasedUntil: now + leaseMs })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .returning('name')
    .execute()
  return renewed.length > 0
}

/** Harmless when it is somebody else's by now. */
export async function releaseLease(db: Db, { name, holder }: Lease): Promise<void> {
  await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
}

/** Deletes what holders that died have left. */
export async function deleteEndedLeases(db: Db, now: number): Promise<void> {
  await db.deleteFrom('leases').where('leasedUntil', '<=', now).execute()
}
