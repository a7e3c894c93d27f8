import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database/database.ts'
import { listInstances } from '#store/instances.ts'
import { createLease, findLease, releaseLease, renewLease, takeOverLease } from '#store/leases.ts'
import type { ServicePart } from './data-lock.ts'
import { StartError } from './start-failure.ts'

/** Time until the lease of a dead process can be taken over. */
const leaseMsDefault = 6_000
const renewEveryMsDefault = 1_500
/** Time limit of a renewal's query: a connection that broke silently is replaced before anybody may take over. */
export const renewalMsMax = 1_000
const pollMsDefault = 100
const names: Record<ServicePart, string> = { app: 'service', hosting: 'hosting' }

/** The holder of a part's lease that several instances share. */
const severalHolder = 'several'

interface LeaseOptions {
  /** Whether others that say the same may have the lease, too. */
  readonly isOneOfSeveral?: boolean
  /** The application when left out. */
  readonly part?: ServicePart
  readonly log: Log
  readonly signal: AbortSignal
  /** The same database over a connection only for renewals, which is replaced when it does not answer. */
  readonly renewalDb: Db
  /** Called when another process has taken the lease. */
  readonly onLost: (reason: StartError) => void
  readonly leaseMs?: number
  readonly renewEveryMs?: number
  /** Between two looks at the lease of another process. */
  readonly pollMs?: number
}

/**
 * Takes the lease of the only such part of the service on this database, whose leases table must exist; or that of several, which
 * share it. Throws StartError if another process renews it, or others do: only renewals count, no machine's clock. Takes over a
 * lease that was not renewed for `leaseMs`. Disposal releases the lease, unless other instances run.
 */
export async function takeServiceLease(db: Db, options: LeaseOptions): Promise<AsyncDisposable> {
  const { log, part = 'app', signal, leaseMs = leaseMsDefault, pollMs = pollMsDefault } = options
  const name = names[part]
  const own = `${process.pid} ${hostname()} ${crypto.randomUUID()}`
  const lease = { name, holder: options.isOneOfSeveral ? severalHolder : own }
  let seen: Awaited<ReturnType<typeof findLease>> = null
  let seenAt = 0
  while (!(await createLease(db, lease, times(leaseMs)))) {
    const found = await findLease(db, name)
    if (found === null) continue
    if (found.holder === lease.holder && (await renewLease(db, lease, times(leaseMs)))) break
    if (seen === null) {
      log.info('service lease is held, waiting', { service: processOf(found) })
      ;[seen, seenAt] = [found, performance.now()]
    }
    if (found.holder !== seen.holder || found.leasedUntil !== seen.leasedUntil) {
      throw new StartError(heldSentence(found, lease))
    }
    const isDead = performance.now() - seenAt > leaseMs
    if (isDead && (await takeOverLease(db, found, lease, times(leaseMs)))) break
    await setTimeout(pollMs, undefined, { signal }).catch((cause) => {
      throw new StartError('stopped while it waited for the database to be free', { cause })
    })
  }
  return keep(lease, options)
}

function heldSentence(found: Lease, { holder }: Lease): string {
  if (found.holder === severalHolder) {
    return 'several instances of Sitehost use this database: stop them, make this one of them (BLOBS_URL, INTERNAL_LISTEN), or choose another database with DATABASE_URL'
  }
  const other = `another Sitehost uses this database (${processOf(found)})`
  return holder === severalHolder
    ? `${other}, which is not one of several: stop it, and start it with BLOBS_URL and INTERNAL_LISTEN`
    : `${other}: stop it, or choose another database with DATABASE_URL`
}

type Lease = Parameters<typeof releaseLease>[1]

const times = (leaseMs: number) => ({ now: Date.now(), leaseMs })

const processOf = ({ holder }: { readonly holder: string }): string => {
  if (holder === severalHolder) return 'one of several'
  const [pid, host] = holder.split(' ')
  return `process ${pid} on ${host}`
}

function keep(lease: Lease, options: LeaseOptions): AsyncDisposable {
  const { log, onLost, renewalDb: db } = options
  const { leaseMs = leaseMsDefault, renewEveryMs = renewEveryMsDefault } = options
  let isLate = false
  const renew = async (): Promise<void> => {
    try {
      const isOurs =
        (await renewLease(db, lease, times(leaseMs))) ||
        (await createLease(db, lease, times(leaseMs)))
      if (!isOurs) onLost(await takenOver(db, lease.name))
      isLate = false
    } catch (error) {
      // The database is unreachable; the next successful query shows who has the lease.
      if (!isLate) log.warn('service lease not renewed', { error })
      isLate = true
    }
  }
  let renewing: Promise<void> | null = null
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = null
    })
  }, renewEveryMs)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await renewing
      // A lease that is not released expires.
      await release(db, lease).catch(() => undefined)
    },
  }
}

/** Instances that still run keep the one that they share. */
async function release(db: Db, lease: Lease): Promise<void> {
  if (lease.holder === severalHolder && (await listInstances(db)).length > 0) return
  await releaseLease(db, lease)
}

async function takenOver(db: Db, name: string): Promise<StartError> {
  const found = await findLease(db, name)
  const by = found === null ? '' : ` (${processOf(found)})`
  return new StartError(
    `another Sitehost${by} took over the database while it was out of reach for this one, which has stopped`,
  )
}
