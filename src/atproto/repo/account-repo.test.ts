import { expect, test } from 'bun:test'
import type { AccountSession } from '#atproto/oauth/oauth.ts'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { AccountRepo } from './account-repo.ts'

/** A session whose server never answers; the signals that it was called with are noted. */
const signals: AbortSignal[] = []
const silent = async (): Promise<AccountSession> => {
  const handle = (_: string, init: RequestInit = {}) => {
    if (init.signal) signals.push(init.signal)
    return new Promise<Response>(() => undefined)
  }
  return { did: alice, handle }
}

const calls: [string, (repo: AccountRepo) => Promise<unknown>][] = [
  ['latestCommit', (repo) => repo.latestCommit()],
  ['findRecord', (repo) => repo.findRecord('place.sitehost.fs', 'blog')],
  [
    'listRecords',
    (repo) => repo.listRecords('place.sitehost.fs', { recordsMax: 10, valuesMax: 10 }),
  ],
  ['putRecord', (repo) => repo.putRecord('place.sitehost.fs', 'blog', {})],
  ['uploadBlob', (repo) => repo.uploadBlob(new Blob(['x']), new AbortController().signal)],
]
for (const [name, call] of calls) {
  test(`${name} ends at once when the repository's signal is aborted`, async () => {
    const stop = new AbortController()
    signals.length = 0
    const calling = call(new AccountRepo(alice, silent, { signal: stop.signal }))
    await Bun.sleep(0)
    stop.abort(new Error('stopped'))
    const error = await calling.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ServerUnreachableError)
    expect(error).toHaveProperty('cause.message', 'stopped')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
}

test('uploadBlob ends its request with its own signal too', async () => {
  const [stop, own] = [new AbortController(), new AbortController()]
  signals.length = 0
  const repo = new AccountRepo(alice, silent, { signal: stop.signal })
  void repo.uploadBlob(new Blob(['x']), own.signal)
  await Bun.sleep(0)
  own.abort()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('listRecords keeps as many values as it may, and every key', async () => {
  const values = [{ a: [1, 2] }, { text: 'x'.repeat(640) }, { b: null }, {}]
  const pages = values.map((value, n) => ({
    records: [{ uri: `at://${alice}/place.sitehost.fs/${n}`, cid: `cid-${n}`, value }],
    ...(n < 3 && { cursor: String(n) }),
  }))
  let asked = 0
  const handle = async () => Response.json(pages[asked++])
  const repo = new AccountRepo(alice, async () => ({ did: alice, handle }))
  const list = async (valuesMax: number) => {
    asked = 0
    return await repo.listRecords('place.sitehost.fs', { recordsMax: 10, valuesMax })
  }
  const all = await list(1_000)
  expect(all.map(({ value }) => value)).toEqual(values)
  const some = await list(10)
  expect(some.map(({ value }) => value)).toEqual([values[0], null, null, null])
  const keys = ({ rkey, cid }: { rkey: string; cid: string }) => `${rkey} ${cid}`
  expect(some.map(keys)).toEqual(all.map(keys))
  expect((await list(0)).map(({ value }) => value)).toEqual([null, null, null, null])
  asked = 0
  const summarize = (json: Uint8Array) => Buffer.from(json).toString()
  const limits = { recordsMax: 10, valuesMax: 10, summarize }
  const summarized = await repo.listRecords('place.sitehost.fs', limits)
  expect(summarized.map(({ value }) => value).slice(2)).toEqual(['{"b":null}', '{}'])
  expect(summarized[0]?.value).toEqual(values[0])
})

test('deleteRecord names the record that it may delete, where the caller knows it', async () => {
  const inputs: unknown[] = []
  const handle = async (_: string, init?: RequestInit) => {
    inputs.push(JSON.parse(String(init?.body)))
    return Response.json({})
  }
  const repo = new AccountRepo(alice, async () => ({ did: alice, handle }))
  await repo.deleteRecord('place.sitehost.fs', 'blog', 'cid-1')
  await repo.deleteRecord('place.sitehost.subfs', 'part')
  expect(inputs).toEqual([
    { repo: alice, collection: 'place.sitehost.fs', rkey: 'blog', swapRecord: 'cid-1' },
    { repo: alice, collection: 'place.sitehost.subfs', rkey: 'part' },
  ])
})
