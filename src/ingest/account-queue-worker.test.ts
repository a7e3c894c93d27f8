import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import {
  type AccountItem,
  countQueuedAccounts,
  enqueueAccounts,
  takeDueAccounts,
} from '#store/account-queue.ts'
import { findAccount, upsertAccount } from '#store/accounts.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import { eventually } from '#tests/support/eventually.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/ingest-place.ts'
import { alice, siteOf } from '#tests/support/sample-rows.ts'
import { runAccountQueue, workOn } from './account-queue-worker.ts'

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

function start(): void {
  running = runAccountQueue(place.context)
}

async function ask(did: Did = alice, isUrgent = true): Promise<void> {
  await enqueueAccounts(place.context.db, [did], { now: place.now, isUrgent })
  place.context.hints.notify('accounts')
}

const waiting = () => countQueuedAccounts(place.context.db)
const queuedSites = async () => {
  const rows = await place.context.db.selectFrom('ingestQueue').select('name').execute()
  return rows.map(({ name }) => String(name)).sort()
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
  await eventually(async () => expect(place.logged).toContain('account not looked at'))
  delete place.pds.lies.status
  expect(await waiting()).toBe(1)
  place.now += 15_000
  place.context.hints.notify('accounts')
  await eventually(async () => expect(await waiting()).toBe(0))
})

test('a status that changes while it is asked for is asked for again', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const { fetch } = place.context
  let asks = 0
  running = runAccountQueue({
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

test('with a full ingest queue only accounts that have news are looked at', async () => {
  const sites = Array.from({ length: 1000 }, (_, i) => siteOf(`site-${i}`))
  await enqueueIngest(place.context.db, sites, 1)
  const bob = 'did:web:bob.example' as Did
  await upsertAccount(place.context.db, { did: bob }, 1)
  await ask(bob, false)
  start()
  await ask()
  await eventually(async () => expect(await waiting()).toBe(1))
  await place.context.db.deleteFrom('ingestQueue').execute()
  place.context.hints.notify('accounts')
  await eventually(async () => expect(place.logged).toContain('account not looked at'))
})

test('a stranger who never answers is given up', async () => {
  const stranger = 'did:web:nobody.invalid' as Did
  start()
  await ask(stranger)
  await eventually(async () => {
    place.now += 24 * 3_600_000
    place.context.hints.notify('accounts')
    expect(await waiting()).toBe(0)
  })
  expect(place.logged.filter((message) => message === 'account not looked at')).toHaveLength(5)
})

test('stopping leaves what was under way to be taken at once', async () => {
  const asked = Promise.withResolvers<void>()
  const { fetch } = place.context
  running = runAccountQueue({
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
  const [row] = await place.context.db.selectFrom('accountQueue').selectAll().execute()
  expect(row).toMatchObject({ leasedUntil: 0, nextAttemptAt: place.now })
})

test('stopping gives nobody up, a stranger at his last try neither', async () => {
  const { db } = place.context
  const stranger = 'did:web:nobody.invalid' as Did
  await ask(stranger)
  await db.updateTable('accountQueue').set({ attempts: 4 }).execute()
  const [item] = await takeDueAccounts(db, { now: place.now, leaseMs: 1000, limit: 1 })
  place.stop.abort()
  await workOn(item as AccountItem, place.context, () => Promise.reject(new Error('aborted')))
  expect(await waiting()).toBe(1)
})
