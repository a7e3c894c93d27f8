import { describe, expect, test } from 'bun:test'
import { ServerRefusedError, UnusableAnswerError } from '#outbound/server-errors.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { AccountRepo } from './account-repo.ts'

const cid = 'bafkreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgf5kpqcsgz7soitae'
const blob = { $type: 'blob', ref: { $link: cid }, mimeType: 'text/html', size: 1 }
const uri = `at://${alice}/place.sitehost.fs/blog`
const record = { uri, cid, value: {} }
const fs = 'place.sitehost.fs'
const create = { action: 'create', collection: fs, rkey: 'blog', value: {} } as const
const remove = { action: 'delete', collection: fs, rkey: 'blog' } as const

type Call = (repo: AccountRepo) => Promise<unknown>
const calls = {
  limit: (repo) => repo.blobUploadBytesMax(),
  upload: (repo) => repo.uploadBlob(new Blob(['x'])),
  put: (repo) => repo.putRecord(fs, 'blog', {}),
  write: (repo) => repo.applyWrites([create], 'head'),
  erase: (repo) => repo.applyWrites([remove], 'head'),
  head: (repo) => repo.latestCommit(),
  find: (repo) => repo.findRecord(fs, 'blog'),
  list: (repo) => repo.listRecords(fs, { recordsMax: 10, valuesMax: 10_000 }),
} satisfies Record<string, Call>

/** A repository whose server answers this to everything. */
function repoAt(body: unknown, init: ResponseInit = {}): AccountRepo {
  const handle = async () =>
    typeof body === 'string' ? new Response(body, init) : Response.json(body, init)
  return new AccountRepo(alice, async () => ({ did: alice, handle }))
}

const honest: [keyof typeof calls, unknown, object | number | string | null][] = [
  ['limit', { blobUploadLimit: 5 }, 5],
  ['limit', {}, null],
  ['upload', { blob: { ...blob, more: 1 } }, blob],
  ['put', { uri, cid }, { uri, cid }],
  ['write', { results: [{ $type: 'x', uri, cid }] }, { cids: [cid], head: null }],
  ['write', { commit: {}, results: [{ cid }] }, { cids: [cid], head: null }],
  ['write', { commit: { cid: 'x'.repeat(300) }, results: [{ cid }] }, { cids: [cid], head: null }],
  ['write', { commit: { cid }, results: [{ cid }] }, { cids: [cid], head: cid }],
  ['erase', { results: [{ $type: 'x' }] }, { cids: [null], head: null }],
  ['erase', { commit: { cid } }, { cids: [], head: cid }],
  ['head', { cid, rev: '3k' }, cid],
  ['find', record, { rkey: 'blog', cid, value: {} }],
  ['find', { uri, value: { a: [1] } }, { rkey: 'blog', cid: '', value: { a: [1] } }],
  ['list', { records: [] }, []],
  ['list', { records: [record], cursor: null }, [{ rkey: 'blog', cid, value: {} }]],
  [
    'list',
    { records: [{ ...record, uri: `${uri}/a b` }, record] },
    [{ rkey: 'blog', cid, value: {} }],
  ],
]
test.each(honest)('%s is answered %j', async (call, body, result) => {
  expect(await (calls[call] as Call)(repoAt(body))).toEqual(result)
})

const bad = 'x'.repeat(129)
const lies: [keyof typeof calls, unknown, string][] = [
  ['limit', { blobUploadLimit: -1 }, 'blobUploadLimit'],
  ['limit', { blobUploadLimit: '5' }, 'blobUploadLimit'],
  ['limit', { blobUploadLimit: null }, 'blobUploadLimit'],
  ['upload', {}, 'blob'],
  ['upload', { blob: null }, 'blob'],
  ['upload', { blob: { ...blob, ref: {} } }, 'blob'],
  ['upload', { blob: { ...blob, mimeType: 'x'.repeat(256) } }, 'blob'],
  ['put', {}, 'cid'],
  ['put', { uri, cid: bad }, 'cid'],
  ['put', { uri, cid: '<h1>' }, 'cid'],
  ['write', {}, 'results'],
  ['write', { results: null }, 'results'],
  ['write', { results: [] }, 'results'],
  ['write', { results: [null] }, 'results.0'],
  ['write', { results: [{ uri }] }, 'results.0.cid'],
  ['write', { results: [{ uri, cid: 7 }] }, 'results.0.cid'],
  ['erase', { results: 'done' }, 'results'],
  ['head', { cid: null }, 'cid'],
  ['head', { cid: '' }, 'cid'],
  ['find', {}, 'value'],
  ['find', { ...record, value: null }, 'value'],
  ['find', { ...record, value: 'text' }, 'value'],
  ['find', { ...record, cid: bad }, 'cid'],
  ['list', {}, 'records'],
  ['list', { records: null }, 'records'],
  ['list', { records: [null] }, 'records.0'],
  ['list', { records: [record, 'x'] }, 'records.1'],
  ['list', { records: [{ ...record, uri: undefined }] }, 'records.0.uri'],
  ['list', { records: [{ ...record, uri: `${uri}${'x'.repeat(1_200)}` }] }, 'records.0.uri'],
  ['list', { records: [{ ...record, cid: undefined }] }, 'records.cid'],
  ['list', { records: [{ ...record, cid: bad }] }, 'records.0.cid'],
  ['list', { records: [{ ...record, value: 0 }] }, 'records.0.value'],
  ['list', { records: [record], cursor: 7 }, 'cursor'],
  ['list', { records: [record], cursor: 'x'.repeat(1_025) }, 'cursor'],
  ['list', { records: [{ ...record, cid: 'x'.repeat(300_000) }] }, 'too many bytes'],
]
test.each(lies)('%s that is answered %j is unusable: %s', async (call, body, field) => {
  await expect(calls[call](repoAt(body))).rejects.toMatchObject({
    name: 'UnusableAnswerError',
    field,
  })
})

describe('an answer that is unusable for every method', () => {
  const always: [string, unknown, string | RegExp][] = [
    ['a page', '<h1>hello</h1>', 'not JSON'],
    ['nothing', '', 'not JSON'],
    ['null', null, 'not an object'],
    ['a list', [], 'not an object'],
    ['thousands of names', named(10_000), /^too many (bytes|values|names)$/],
    ['values without end', `{"a":${'['.repeat(30_000)}`, /^(too many (values|bytes)|not JSON)$/],
  ]
  for (const [what, body, field] of always) {
    for (const [name, call] of Object.entries<Call>(calls)) {
      test(`${what} to ${name}`, async () => {
        const error = await call(repoAt(body)).catch((error: unknown) => error)
        expect(error).toBeInstanceOf(UnusableAnswerError)
        expect((error as UnusableAnswerError).field).toMatch(field)
      })
    }
  }
})

function named(count: number): string {
  return `{${Array.from({ length: count }, (_, n) => `"n${n}":0`).join(',')}}`
}

describe('a record that holds more than any of ours', () => {
  const large = JSON.parse(named(1_001)) as object
  test('is listed without its value, and was never parsed', async () => {
    const records = [{ ...record, value: large }, record]
    expect(await calls.list(repoAt({ records }))).toMatchObject([{ value: null }, { value: {} }])
  })
  test('is found without its value', async () => {
    expect(await calls.find(repoAt({ ...record, value: large }))).toMatchObject({ value: null })
  })
})

test("a refusal's code and reason are clipped", async () => {
  const refused = async (body: unknown): Promise<ServerRefusedError> =>
    (await calls.head(repoAt(body, { status: 400 })).catch((error) => error)) as ServerRefusedError
  const long = await refused({ error: 'E'.repeat(500), message: 'm'.repeat(5_000) })
  expect([long.code.length, long.reason.length]).toEqual([128, 1_000])
  expect(await refused(JSON.parse(named(5_000)))).toMatchObject({ code: 'UnknownXRPCError' })
})

describe('until when a server is busy', () => {
  const day = 24 * 60 * 60 * 1000
  const until = async (headers: Record<string, string>): Promise<number> => {
    const refusal = calls.head(repoAt({ error: 'RateLimitExceeded' }, { status: 429, headers }))
    const error = (await refusal.catch((error) => error)) as ServerRefusedError
    expect(error).toBeInstanceOf(ServerRefusedError)
    return (error.retryAt ?? Number.NaN) - Date.now()
  }
  test('as stated', async () => {
    const soon = Math.round(Date.now() / 1000) + 100
    expect(await until({ 'ratelimit-reset': String(soon) })).toBeWithin(90_000, 101_000)
    expect(await until({ 'retry-after': '100' })).toBeWithin(90_000, 101_000)
  })
  test.each([
    { 'ratelimit-reset': '101800000000' },
    { 'ratelimit-reset': '1e300' },
    { 'retry-after': '1e300' },
    { 'retry-after': 'Fri, 01 Jan 5195 00:00:00 GMT' },
  ])('%j: after a day at the latest', async (headers) => {
    expect(await until(headers)).toBeWithin(day - 60_000, day + 1)
  })
})
