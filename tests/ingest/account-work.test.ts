import { afterEach, beforeEach, expect, test } from 'bun:test'
import { accountWork } from '#ingest/account-work.ts'
import { retriesMs, runWork, workOn } from '#ingest/run-work.ts'
import type { Did } from '#site/site-address.ts'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { rememberVisited } from '#store/lifecycle/visited-accounts.ts'
import { enqueueAccounts, enqueueSites } from '#store/queues/enqueue.ts'
import { takeDue } from '#store/queues/take-due.ts'
import type { WorkItem } from '#store/queues/work-items.ts'
import { queuedAccounts } from '#tests/support/database/queued-accounts.ts'
import { accountOf, alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, clearWork, workRows } from '#tests/support/database/work-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { eventually } from '../support/eventually.ts'

let place: IngestPlace
let running: Promise<void>
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice }, 1)
})
afterEach(async () => {
  place.stop.abort()
  await running
  await place[Symbol.asyncDispose]()
})

function run(context: Parameters<typeof accountWork>[0]): void {
  running = runWork([accountWork(context)], context)
}

function start(): void {
  run(place.context)
}

async function ask(did: Did = alice, isUrgent = true): Promise<void> {
  await enqueueAccounts(place.context, [did], { isUrgent })
}

const waiting = async () => (await queuedAccounts(place.context.db)).length
const queuedSites = async () => {
  const rows = await workRows(place.context.db, 'site')
  return rows.map(({ site }) => String(site))
}

test('an account that is asked for is looked at, and its sites are queued', async () => {
  await place.write('blog')
  await place.write('shop')
  start()
  await ask()
  await eventually(async () => expect(await waiting()).toBe(0))
  expect(await queuedSites()).toEqual(['blog', 'shop'])
})

test('one whose server does not answer is tried again later', async () => {
  place.pds.lies.status = () => new Response('', { status: 503 })
  start()
  await ask()
  await eventually(async () => expect(place.logged).toContain('account check failed'))
  delete place.pds.lies.status
  expect(await waiting()).toBe(1)
  place.now += 15_000
  place.context.wakeUps.notify('account')
  await eventually(async () => expect(await waiting()).toBe(0))
})

test('a status that changes while it is asked for is asked for again', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const { fetch } = place.context
  let asks = 0
  run({
    ...place.context,
    fetch: async (input, init) => {
      if (!String(input).includes('getRepoStatus')) return await fetch(input, init)
      asks += 1
      const response = await fetch(input, init)
      if (asks === 1) {
        asked.resolve()
        await answer.promise
      }
      return response
    },
  })
  await ask()
  await asked.promise
  place.pds.lies.status = () => Response.json({ did: alice, active: false, status: 'takendown' })
  await ask()
  answer.resolve()
  await eventually(async () => expect(await waiting()).toBe(0))
  expect(asks).toBe(2)
  expect(await findAccount(place.context.db, alice)).toMatchObject({ status: 'takendown' })
})

test('one account whose sites cannot be read, or take their time, holds up nobody', async () => {
  const { db } = place.context
  const bob = 'did:web:bob.example' as Did
  await upsertAccount(db, { did: bob }, 1)
  const sites = Array.from({ length: 1000 }, (_, i) => siteOf(`site-${i}`))
  await enqueueSites(askedAt(db, 1), sites)
  // And others that have failed.
  const failed = Array.from({ length: 300 }, (_, i) => siteOf('site', accountOf(i)))
  await enqueueSites(askedAt(db, 1), failed)
  await db.updateTable('workItems').set({ lastError: 'away' }).where('did', '!=', alice).execute()
  await ask(bob, false)
  start()
  await eventually(async () => expect(place.logged).toContain('account check failed'))
})

test('while sites of many accounts wait only accounts that have news are looked at', async () => {
  const sites = Array.from({ length: 200 }, (_, i) => siteOf('site', accountOf(i)))
  await enqueueSites(askedAt(place.context.db, 1), sites)
  const bob = 'did:web:bob.example' as Did
  await upsertAccount(place.context.db, { did: bob }, 1)
  await ask(bob, false)
  start()
  await ask()
  await eventually(async () => expect(await waiting()).toBe(1))
  await clearWork(place.context.db, 'site')
  place.context.wakeUps.notify('account')
  await eventually(async () => expect(place.logged).toContain('account check failed'))
})

test('a stranger with a site who is away just now is known from then on; one who is gone is not', async () => {
  const { db } = place.context
  await db.deleteFrom('accounts').execute()
  const answers = { deleted: { error: 'RepoNotFound' }, away: { error: 'RepoDeactivated' } }
  start()
  for (const [answer, status] of [
    [answers.deleted, null],
    [answers.away, 'deactivated'],
  ] as const) {
    place.pds.lies.status = () => Response.json(answer, { status: 400 })
    await ask()
    await eventually(async () => expect(await waiting()).toBe(0))
    expect((await findAccount(db, alice))?.status ?? null).toBe(status)
  }
})

/** Has each try fail as soon as it is due, until one says that it was the last; how many there were. */
async function failedTries(): Promise<number> {
  const tries: { isLast?: boolean }[] = []
  const leases = () => workRows(place.context.db, 'account')
  const log = { ...place.context.log, warn: (_: string, fields = {}) => void tries.push(fields) }
  run({ ...place.context, log })
  for (let failed = 1; ; failed++) {
    await eventually(async () => expect(tries).toHaveLength(failed))
    // While he is looked at, and while he is due, a clock that jumps would end the lease.
    await eventually(async () =>
      expect((await leases()).filter((row) => row.leasedUntil > 0)).toEqual([]),
    )
    if (tries.at(-1)?.isLast) return failed
    place.now += 24 * 3_600_000
    place.context.wakeUps.notify('account')
  }
}

test('a visited stranger who never answers is given up, and the log says with which try', async () => {
  const stranger = 'did:web:nobody.invalid' as Did
  await rememberVisited(place.context.db, stranger, 1)
  await ask(stranger)
  expect(await failedTries()).toBe(5)
  expect(await waiting()).toBe(0)
})

test('one who has published is tried as often as everybody, and is parked then', async () => {
  const stranger = 'did:web:nobody.invalid' as Did
  await ask(stranger)
  expect(await failedTries()).toBe(retriesMs.length + 1)
  expect(await queuedAccounts(place.context.db)).toMatchObject([{ did: stranger, isParked: true }])
})

test('stopping leaves what was under way to be taken at once', async () => {
  const asked = Promise.withResolvers<void>()
  const { fetch } = place.context
  run({
    ...place.context,
    fetch: async (input, init) => {
      if (!String(input).includes('getRepoStatus')) return await fetch(input, init)
      asked.resolve()
      return await new Promise<Response>((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      )
    },
  })
  await ask()
  await asked.promise
  place.stop.abort()
  await running
  const [row] = await workRows(place.context.db, 'account')
  expect(row).toMatchObject({ leasedUntil: 0, nextAttemptAt: place.now })
})

test('stopping gives nobody up, a stranger at his last try neither', async () => {
  const { db } = place.context
  const stranger = 'did:web:nobody.invalid' as Did
  await rememberVisited(db, stranger, 1)
  await ask(stranger)
  await db.updateTable('workItems').set({ attempts: 4 }).execute()
  const [item] = await takeDue(db, {
    kind: 'account',
    priorities: [1],
    now: place.now,
    leaseMs: 1000,
    limit: 1,
  })
  place.stop.abort()
  const abort = () => Promise.reject(new Error('aborted'))
  await workOn(item as WorkItem, abort, place.context, accountWork(place.context))
  expect(await waiting()).toBe(1)
})

test('strangers whose servers do not answer keep nobody waiting who is known', async () => {
  const strangers = Array.from({ length: 12 }, (_, i) => `did:web:slow-${i}.example` as Did)
  for (const did of strangers) await ask(did)
  const { identities } = place.context
  let asked = 0
  run({
    ...place.context,
    identities: {
      verifiedHandle: async () => null,
      resolve(did, options) {
        if (did === alice) return identities.resolve(did, options)
        // One that is taken while the queue stops: nobody tells it a second time.
        options?.signal?.throwIfAborted()
        asked += 1
        return new Promise((_, reject) => {
          options?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        })
      },
    },
  })
  await eventually(async () => expect(asked).toBeGreaterThanOrEqual(6))
  place.pds.lies.status = () => Response.json({ did: alice, active: false, status: 'takendown' })
  place.now += 1
  await ask()
  await eventually(async () =>
    expect(await findAccount(place.context.db, alice)).toMatchObject({ status: 'takendown' }),
  )
  expect(asked).toBe(6)
})

test('a look that takes too long is given up, and tried again', async () => {
  const { identities } = place.context
  run({
    ...place.context,
    checkMsMax: { stranger: 50, other: 60_000 },
    identities: {
      verifiedHandle: async () => null,
      resolve(did, options) {
        if (did === alice) return identities.resolve(did, options)
        options?.signal?.throwIfAborted()
        return new Promise((_, reject) => {
          options?.signal?.addEventListener('abort', () => reject(options.signal?.reason))
        })
      },
    },
  })
  await ask('did:web:slow.example' as Did)
  await eventually(async () => {
    const [row] = await workRows(place.context.db, 'account')
    expect(row).toMatchObject({ attempts: 1, lastError: expect.stringContaining('timed out') })
  })
})

test('of many whose servers do not answer the slowest give way to who waits, and are tried again', async () => {
  const known = Array.from({ length: 60 }, (_, i) => `did:web:slow-${i}.example` as Did)
  for (const did of known) await upsertAccount(place.context.db, { did }, 1)
  await enqueueAccounts(place.context, known, { isUrgent: true })
  place.now += 1
  await ask()
  const { identities } = place.context
  place.pds.lies.status = () => Response.json({ did: alice, active: false, status: 'takendown' })
  run({
    ...place.context,
    slowAfterMs: 20,
    identities: {
      verifiedHandle: async () => null,
      resolve(did, options) {
        if (did === alice) return identities.resolve(did, options)
        options?.signal?.throwIfAborted()
        return new Promise((_, reject) => {
          options?.signal?.addEventListener('abort', () => reject(options.signal?.reason))
        })
      },
    },
  })
  await eventually(async () =>
    expect(await findAccount(place.context.db, alice)).toMatchObject({ status: 'takendown' }),
  )
  const rows = await workRows(place.context.db, 'account')
  const gaveWay = rows.filter(({ lastError }) => lastError?.includes('others wait'))
  expect(gaveWay.length).toBeWithin(60 - 8 - 32, 60)
  expect(gaveWay.every(({ nextAttemptAt }) => nextAttemptAt > place.now)).toBe(true)
})
