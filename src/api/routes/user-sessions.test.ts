import { describe, expect, test } from 'bun:test'
import { createJob } from '#store/queues/jobs.ts'
import { cookieHeader, testApi } from '#tests/support/api.ts'
import { alice, bob, newJob } from '#tests/support/database/sample-rows.ts'

const api = testApi()
const removed = [
  'did=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
  'sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
]

async function signIn(did: string, userAgent: string): Promise<string> {
  const headers = { cookie: 'oauth=nonce-1', 'user-agent': userAgent }
  const response = await api().request(`/api/auth/callback?code=${did}`, { headers })
  return cookieHeader(response.headers.getSetCookie().filter((line) => !line.startsWith('oauth=')))
}

const ask = (cookie: string, path: string, method = 'GET') =>
  api().request(path, { method, headers: { cookie } })

interface SignIn {
  readonly id: string
  readonly device: string | null
  readonly current: boolean
}

async function list(cookie: string): Promise<SignIn[]> {
  const answer = (await (await ask(cookie, '/api/user/sessions')).json()) as {
    sessions: SignIn[]
  }
  return answer.sessions
}

const isIn = async (cookie: string) => (await ask(cookie, '/api/user/status')).status === 200

describe('/api/user/sessions', () => {
  test('lists the account’s own, without what lets anybody in', async () => {
    const laptop = await signIn(alice, 'Mozilla/5.0 (X11; Linux x86_64; rv:1) Firefox/140.0')
    await signIn(alice, '<script>')
    await signIn(bob, 'curl/8')
    const at = new Date(api().now).toISOString()
    const times = { createdAt: at, lastUsedAt: at, id: expect.stringMatching(/^[0-9a-f]{64}$/) }
    const rows = await list(laptop)
    expect<unknown>(rows.toSorted((a, b) => Number(b.current) - Number(a.current))).toEqual([
      { ...times, device: 'Firefox on Linux', current: true },
      { ...times, device: null, current: false },
    ])
    const secret = /sid=(.*)/.exec(laptop)?.[1] ?? ''
    expect(secret).toHaveLength(43)
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(await isIn(`did=${rows[0]?.id}; sid=${rows[0]?.id}`)).toBe(false)
  })

  test('one is ended from another; the rest stay', async () => {
    const [laptop, phone] = [await signIn(alice, 'Firefox/1'), await signIn(alice, 'Safari/1')]
    const stolen = (await list(laptop)).find(({ device }) => device === 'Safari')
    const answer = await ask(laptop, `/api/user/sessions/${stolen?.id}`, 'DELETE')
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
    expect([await isIn(laptop), await isIn(phone)]).toEqual([true, false])
    expect(api().network.sessions.has(alice)).toBe(true)
    const again = await ask(laptop, `/api/user/sessions/${stolen?.id}`, 'DELETE')
    expect([again.status, await again.json()]).toEqual([
      404,
      { error: 'That sign-in has ended already.' },
    ])
  })

  test('one’s own: the cookies go, and with the last one the grant', async () => {
    const cookie = await signIn(alice, 'Firefox/1')
    const [own] = await list(cookie)
    const answer = await ask(cookie, `/api/user/sessions/${own?.id}`, 'DELETE')
    expect(answer.headers.getSetCookie()).toEqual(removed)
    expect(await isIn(cookie)).toBe(false)
    expect(api().network.sessions.has(alice)).toBe(false)
  })

  for (const id of ['x', '%00', '0'.repeat(64)]) {
    test(`no such sign-in: ${id.slice(0, 9)}`, async () => {
      const cookie = await signIn(alice, '')
      expect((await ask(cookie, `/api/user/sessions/${id}`, 'DELETE')).status).toBe(404)
    })
  }

  test('never another account’s', async () => {
    const [alices, bobs] = [await signIn(alice, ''), await signIn(bob, '')]
    const [bobsOwn] = await list(bobs)
    expect((await ask(alices, `/api/user/sessions/${bobsOwn?.id}`, 'DELETE')).status).toBe(404)
    expect(await isIn(bobs)).toBe(true)
  })
})

describe('POST /api/auth/logout-everywhere', () => {
  test('ends all of the account’s, the stolen one too, and the grant', async () => {
    const [laptop, phone] = [await signIn(alice, ''), await signIn(alice, '')]
    const bobs = await signIn(bob, '')
    const answer = await ask(laptop, '/api/auth/logout-everywhere', 'POST')
    expect(await answer.json()).toEqual({ success: true })
    expect(answer.headers.getSetCookie()).toEqual(removed)
    expect([await isIn(laptop), await isIn(phone), await isIn(bobs)]).toEqual([false, false, true])
    expect([...api().network.sessions]).toEqual([bob])
  })

  test('what is being published keeps the grant', async () => {
    const cookie = await signIn(alice, '')
    await createJob(api().db, newJob({ did: alice }), { queuedMax: 5, now: 1 })
    await ask(cookie, '/api/auth/logout-everywhere', 'POST')
    expect(await isIn(cookie)).toBe(false)
    expect(api().network.sessions.has(alice)).toBe(true)
  })
})
