import { afterAll, expect, test } from 'bun:test'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { saysRecordIsAbsent } from './unproven-absence.ts'

let answer: Response
const asked: string[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    asked.push(request.url.slice(server.url.origin.length))
    return answer
  },
})
afterAll(() => server.stop(true))

const facts: [string, () => Response, boolean][] = [
  ['says so', () => Response.json({ error: 'RecordNotFound' }, { status: 400 }), true],
  [
    'says so by its status too',
    () => Response.json({ error: 'RecordNotFound' }, { status: 404 }),
    true,
  ],
  ['has it', () => Response.json({ value: {}, error: 'RecordNotFound' }), false],
  [
    'has not even the account',
    () => Response.json({ error: 'RepoNotFound' }, { status: 400 }),
    false,
  ],
  ['fails', () => Response.json({ error: 'RecordNotFound' }, { status: 500 }), false],
  ['answers with a page', () => new Response('<html>', { status: 404 }), false],
  [
    'answers without an end in sight',
    () => new Response('x'.repeat(100_000), { status: 404 }),
    false,
  ],
]
test.each(facts)('a server that %s', async (_, make, expected) => {
  answer = make()
  const identity = { did: alice, pds: server.url.origin }
  const fetch = createSafeFetch({ allowPrivate: true })
  const { signal } = new AbortController()
  const key = { collection: 'place.sitehost.settings', rkey: 'blog' }
  expect(await saysRecordIsAbsent(key, identity, { fetch, signal })).toBe(expected)
  expect(asked.at(-1)).toBe(
    `/xrpc/com.atproto.repo.getRecord?repo=${encodeURIComponent(alice)}&collection=place.sitehost.settings&rkey=blog`,
  )
})
