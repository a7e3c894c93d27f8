import { beforeEach, expect, test } from 'bun:test'
import { UnusableAnswerError } from '#outbound/server-errors.ts'
import { testApi } from '#tests/support/api.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { answerXrpc } from '#tests/support/servers/answer-xrpc.ts'
import { FakeRepo } from '#tests/support/servers/fake-repo.ts'

// What a person is told when their account's server answers what no lexicon allows.

const api = testApi()

/** What the server answers in place of the truth, by the method's last name. */
let lies: Record<string, unknown>
beforeEach(() => {
  lies = {}
  const repo = new FakeRepo()
  repo.put('place.sitehost.fs', 'blog', {})
  const { oauth } = api().network
  oauth.session = async (did) => {
    const handle = async (path: string, init: RequestInit) => {
      const method = /\.(\w+)(?:\?|$)/.exec(path)?.[1] ?? ''
      return method in lies ? Response.json(lies[method]) : await answerXrpc(repo, path, init)
    }
    return { did, handle } as unknown as Awaited<ReturnType<typeof oauth.session>>
  }
})

const emptySite = new FormData()
emptySite.set('siteName', 'blog')

const asked: [string, string, BodyInit | null, Record<string, unknown>, string][] = [
  ['GET', '/api/site/blog/settings', null, { getRecord: {} }, 'repo.getRecord: value'],
  ['POST', '/api/site/blog/settings', '{}', { getRecord: { value: 1 } }, 'repo.getRecord: value'],
  ['POST', '/api/site/blog/settings', '{}', { applyWrites: {} }, 'repo.applyWrites: results'],
  ['DELETE', '/api/site/blog', null, { getLatestCommit: { cid: null } }, 'getLatestCommit: cid'],
  ['DELETE', '/api/site/blog', null, { listRecords: { records: null } }, 'listRecords: records'],
  ['DELETE', '/api/site/blog', null, { applyWrites: { results: 1 } }, 'applyWrites: results'],
  ['POST', '/sitehost/upload-files', emptySite, { applyWrites: {} }, 'applyWrites: results'],
  ['POST', '/sitehost/upload-files', emptySite, { listRecords: [] }, 'listRecords: not an object'],
]
test.each(asked)('%s %s: 502', async (method, path, body, told, field) => {
  lies = told
  const cookie = await api().signedIn(alice)
  const response = await api().request(path, { method, headers: { cookie }, body })
  const { error } = (await response.json()) as { error: string }
  expect([response.status, error]).toEqual([502, expect.stringContaining(`${field})`)])
  expect(error).toStartWith('Your account’s server gave an answer that Sitehost cannot use (com.')
})

test('POST /api/user/sync: 502', async () => {
  api().network.sync = () => Promise.reject(new UnusableAnswerError('m', 'records.0'))
  const headers = { cookie: await api().signedIn(alice) }
  const response = await api().request('/api/user/sync', { method: 'POST', headers })
  expect(response.status).toBe(502)
  expect(await response.text()).toContain('cannot use (m: records.0)')
})

test('a sign-in goes on without the list of sites', async () => {
  lies = { listRecords: { records: [null] } }
  const headers = { cookie: 'oauth=nonce-1' }
  const response = await api().request(`/api/auth/callback?code=${alice}&state=s`, { headers })
  expect([response.status, response.headers.get('location')]).toEqual([302, '/onboarding'])
})
