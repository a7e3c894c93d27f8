import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { ServerRefusedError, UnusableAnswerError } from '#outbound/server-errors.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { listReposByCollection } from './list-repos.ts'

let server: Bun.Server<undefined>
let asked: string[]
let answer: (method: string, cursor: string | null) => Response
beforeEach(() => {
  asked = []
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const method = pathname.slice(pathname.lastIndexOf('.') + 1)
      asked.push([method, ...searchParams.keys()].join(' '))
      return answer(method, searchParams.get('cursor'))
    },
  })
})
afterEach(() => server.stop(true))

const list = () =>
  Array.fromAsync(
    listReposByCollection(server.url.origin, 'place.sitehost.fs', {
      fetch: createSafeFetch({ allowPrivate: true }),
      signal: new AbortController().signal,
    }),
  )
const page = (dids: readonly unknown[], cursor?: string): Response =>
  Response.json({ repos: dids.map((did) => ({ did })), ...(cursor && { cursor }) })

test('page by page, to the end', async () => {
  answer = (_, cursor) => (cursor === null ? page([alice], '2') : page([bob]))
  expect(await list()).toEqual([[alice], [bob]])
  expect(asked).toEqual([
    'listReposByCollection collection limit',
    'listReposByCollection collection limit cursor',
  ])
})

test('accounts of unsupported kinds are left out', async () => {
  answer = () => page([alice, 'did:key:zabc', 'did:web:127.0.0.1', 7, null])
  expect(await list()).toEqual([[alice]])
})

test('a server that repeats its cursor has no more pages', async () => {
  answer = (_, cursor) => page([alice], cursor ?? 'again')
  expect(await list()).toEqual([[alice], [alice]])
})

test.each([[null], [[]], [{ repos: 'none' }], [{ repos: [], cursor: 7 }]])(
  '%j is no answer',
  async (body) => {
    answer = () => Response.json(body)
    await expect(list()).rejects.toBeInstanceOf(UnusableAnswerError)
  },
)

describe('a server without this method', () => {
  test.each([400, 401, 404, 501])('that answers %d gives all of its accounts', async (status) => {
    answer = (method) =>
      method === 'listRepos' ? page([alice, bob]) : Response.json({ error: 'No' }, { status })
    expect(await list()).toEqual([[alice, bob]])
  })

  test.each([429, 500, 503])('that answers %d may have one', async (status) => {
    answer = () => Response.json({ error: 'No' }, { status })
    await expect(list()).rejects.toBeInstanceOf(ServerRefusedError)
    expect(asked).toHaveLength(1)
  })

  test('that fails after the first page has one', async () => {
    answer = (_, cursor) =>
      cursor === null ? page([alice], '2') : Response.json({ error: 'No' }, { status: 400 })
    await expect(list()).rejects.toBeInstanceOf(ServerRefusedError)
  })
})

test.each(['<h1>hello</h1>', `{"repos":[${' '.repeat(5_000_000)}]}`])(
  'what is no answer, or too long for one',
  async (body) => {
    answer = () => new Response(body)
    await expect(list()).rejects.toBeInstanceOf(UnusableAnswerError)
  },
)

test('a page of more values than anybody needs is as good as none', async () => {
  const page = `{"repos":[${'[],'.repeat(1_200_000)}[]]}`
  answer = () => new Response(page, { headers: { 'content-type': 'application/json' } })
  await expect(list()).rejects.toBeInstanceOf(UnusableAnswerError)
})
