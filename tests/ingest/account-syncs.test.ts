import { afterEach, beforeEach, expect, test } from 'bun:test'
import { AccountSyncs, SyncsBusyError } from '#ingest/account-syncs.ts'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { queuedAccounts } from '#tests/support/database/queued-accounts.ts'
import { accountOf, alice } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { startFakePds } from '#tests/support/servers/fake-pds.ts'

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice }, 1)
})
afterEach(() => place[Symbol.asyncDispose]())

const statusRequests = () =>
  place.pds.requests.filter((request) => request.startsWith('getRepoStatus')).length

test('many that ask for one account at once cost one look, later ones another', async () => {
  await place.write('blog')
  const syncs = new AccountSyncs(place.context)
  const answers = await Promise.all(Array.from({ length: 10 }, () => syncs.run(alice)))
  for (const answer of answers) expect(answer).toMatchObject({ synced: 1, errors: [] })
  expect(statusRequests()).toBe(1)
  await syncs.run(alice)
  expect(statusRequests()).toBe(2)
})

test('one that failed is asked again', async () => {
  place.pds.lies.status = () => new Response('', { status: 500 })
  const syncs = new AccountSyncs(place.context)
  await expect(syncs.run(alice)).rejects.toThrow()
  delete place.pds.lies.status
  expect(await syncs.run(alice)).toMatchObject({ status: 'active' })
})

/** Accounts whose servers list a blank at a time, and their syncs. */
async function startSlow(syncs: AccountSyncs, count: number) {
  const opened = new AsyncDisposableStack()
  const ends: Promise<string>[] = []
  for (let n = 0; n < count; n++) {
    const server = opened.use(await startFakePds(accountOf(n)))
    place.pds.others.push(server)
    server.lies.records = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(20)
            controller.enqueue(Buffer.alloc(4_000, ' '))
          },
        }),
      )
    const answer = syncs.run(server.did)
    ends.push(
      answer.then(
        () => 'synced',
        (error) => error.name,
      ),
    )
  }
  return { ends, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

const queued = async () => (await queuedAccounts(place.context.db)).map(({ did }) => did)

test('of eight whose servers take their time, the oldest gives way to somebody else', async () => {
  await place.write('blog')
  const syncs = new AccountSyncs({ ...place.context, elapsed: () => place.now })
  await using slow = await startSlow(syncs, 8)
  place.now += 29_999
  await expect(syncs.run(alice)).rejects.toBeInstanceOf(SyncsBusyError)
  place.now += 1
  expect(await syncs.run(alice)).toMatchObject({ synced: 1 })
  expect(await slow.ends[0]).toBe('ServerUnreachableError')
  expect(await queued()).toEqual([accountOf(0)])
  place.stop.abort()
  await Promise.all(slow.ends)
})

test('one that takes too long is left to the queue', async () => {
  const syncs = new AccountSyncs({ ...place.context, syncMsMax: 200 })
  await using slow = await startSlow(syncs, 1)
  expect(await slow.ends[0]).toBe('ServerUnreachableError')
  expect(await queued()).toEqual([accountOf(0)])
})

test('eight accounts at once, and no ninth', async () => {
  const answer = Promise.withResolvers<never>()
  const identities = { resolve: () => answer.promise, verifiedHandle: async () => null }
  const syncs = new AccountSyncs({ ...place.context, identities })
  const didOf = (n: number) => `did:web:host-${n}.example` as Did
  const running = Array.from({ length: 8 }, (_, n) => syncs.run(didOf(n)))
  await expect(syncs.run(didOf(8))).rejects.toBeInstanceOf(SyncsBusyError)
  answer.promise.catch(() => undefined) // not all of them may wait for it yet
  answer.reject(new Error('no'))
  await Promise.allSettled(running)
  await expect(syncs.run(didOf(8))).rejects.not.toBeInstanceOf(SyncsBusyError)
})
