import { beforeEach, describe, expect, test } from 'bun:test'
import { sentences } from '#api/contract/messages.ts'
import { encodeSnapshot } from '#site/visit/snapshot.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import { addCustomDomain } from '#store/names/custom-domains.ts'
import { claimSubdomain, findSubdomain } from '#store/names/subdomains.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { findSite } from '#store/sites/sites.ts'
import { testApi } from '#tests/support/api.ts'
import { alice, bob, newJob, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'

const api = testApi()
let cookie: string
beforeEach(async () => {
  cookie = await api().signedIn(alice)
  for (const [did, handle] of [
    [alice, 'alice.test'],
    [bob, 'bob.test'],
  ] as const) {
    await upsertAccount(api().db, { did, handle, pds: 'https://pds.test' }, 1)
    const { file } = storedFile({ body: `page of ${handle}` })
    const site = siteOf('blog', did)
    const snapshot = encodeSnapshot(snapshotOf({ 'index.html': file }, { ...site }))
    await recordVersion(api().db, newVersion({ site, label: `s--${handle}`, snapshot }), 1)
    const domain = `${handle.replace('.test', '')}.sites.example.net`
    await claimSubdomain(api().db, { did, domain }, { subdomainsMax: 3, now: 1 })
    await addCustomDomain(
      api().db,
      { did, id: `id-of-${handle}`, domain: `${handle.replace('.test', '')}.com` },
      { pendingMax: 9, domainsMax: 9, now: 1 },
    )
    const job = newJob({ did, plan: `secret plan of ${handle}` })
    await createJob(api().db, job, { queuedMax: 5, now: 1 })
    await finishJob(api().db, job.id, { status: 'failed', error: `not for ${handle}` }, 2)
  }
})

const ask = (method: string, path: string, body?: object | string) =>
  api().request(path, {
    method,
    headers: { cookie },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
const isHere = async (did = alice) => (await findSite(api().db, siteOf('blog', did))) !== null

describe('deleting an account', () => {
  test('ends the session, expires the cookies, and frees the names; others stay', async () => {
    const answer = await ask('DELETE', '/api/user')
    expect(await answer.json()).toEqual({ success: true })
    expect(answer.headers.getSetCookie()).toEqual([
      'did=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
      'sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    ])
    expect((await ask('GET', '/api/user/status')).status).toBe(401)
    expect(await findSubdomain(api().db, 'alice.sites.example.net')).toBeNull()
    expect([await isHere(), await isHere(bob)]).toEqual([false, true])
    expect(api().network.written).toEqual([])
  })

  test('not without a session', async () => {
    const answer = await api().request('/api/user', { method: 'DELETE' })
    expect(answer.status).toBe(401)
    expect(await isHere()).toBe(true)
  })

  test('a body that is none of ours changes nothing', async () => {
    for (const body of ['{', { records: 'yes' }, [true]]) {
      expect((await ask('DELETE', '/api/user', body)).status).toBe(400)
    }
    expect(await isHere()).toBe(true)
  })

  test('with records, those are deleted first', async () => {
    api().network.sites.set(alice, ['blog'])
    const answer = await ask('DELETE', '/api/user', { records: true })
    expect(await answer.json()).toEqual({ success: true })
    expect(api().network.sites.get(alice)).toEqual([])
    expect(await isHere()).toBe(false)
  })

  test('records that cannot be deleted keep everything, and say why', async () => {
    api().network.isDown = true
    const answer = await ask('DELETE', '/api/user', { records: true })
    expect(answer.status).toBe(502)
    expect(((await answer.json()) as { error: string }).error).toContain('account’s server')
    expect(await isHere()).toBe(true)
    expect(await isDeletedHere(api().db, alice)).toBe(false)
    expect((await ask('GET', '/api/user/status')).status).toBe(200)
  }, 20_000)

  test('not while a site is published', async () => {
    await createJob(api().db, newJob(), { queuedMax: 5, now: 3 })
    for (const body of [undefined, { records: true }]) {
      const answer = await ask('DELETE', '/api/user', body)
      expect(answer.status).toBe(409)
    }
    expect(await isHere()).toBe(true)
  })

  test('whoever signs in again is here again', async () => {
    await ask('DELETE', '/api/user')
    expect(await isDeletedHere(api().db, alice)).toBe(true)
    await api().request(`/api/auth/callback?code=${alice}`, {
      headers: { cookie: 'oauth=nonce-1' },
    })
    expect(await isDeletedHere(api().db, alice)).toBe(false)
  })
})

describe('the export', () => {
  test('has everything of the account, and a name', async () => {
    const answer = await ask('GET', '/api/user/export')
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="sitehost-alice.test-2030-01-01.json"',
    )
    const exported = (await answer.json()) as Record<string, unknown>
    expect(Object.keys(exported)).toEqual([
      ...['made', 'account', 'sites', 'sitehostDomains', 'keptNames', 'customDomains'],
      ...[
        'versionRecords',
        'jobs',
        'deploys',
        'sessions',
        'deployTokens',
        'publishers',
        'webhooks',
        'webhookDeliveries',
        'uploadedBlobs',
      ],
      ...['receivedBlobs', 'traffic', 'waiting', 'complete'],
    ])
    expect(exported).toMatchObject({
      made: '2030-01-01T00:00:00.000Z',
      account: { did: alice, handle: 'alice.test', pds: 'https://pds.test', status: 'active' },
      sites: [
        {
          rkey: 'blog',
          uri: `at://${alice}/place.sitehost.fs/blog`,
          versions: [
            {
              cid: 'cid-1',
              state: 'live',
              problems: [],
              settings: null,
              files: [
                {
                  path: 'index.html',
                  cid: expect.any(String),
                  size: 18,
                  type: 'text/html; charset=utf-8',
                },
              ],
            },
          ],
        },
      ],
      sitehostDomains: [{ domain: 'alice.sites.example.net', rkey: null, primary: false }],
      customDomains: [
        {
          domain: 'alice.com',
          verified: false,
          dns: { txt: { name: '_sitehost.alice.com', value: alice } },
        },
      ],
      jobs: [{ rkey: 'blog', status: 'failed', error: 'not for alice.test' }],
      sessions: [{ createdAt: '2030-01-01T00:00:00.000Z' }],
      complete: true,
    })
  })

  test('has no secret, and nothing of anybody else', async () => {
    const text = await (await ask('GET', '/api/user/export')).text()
    const sid = /sid=([^;]*)/.exec(cookie)?.[1] ?? 'no sid'
    const hash = new Bun.CryptoHasher('sha256').update(sid).digest('hex')
    for (const secret of [sid, hash, 'secret plan', bob, 'bob.test', 'bob.com', 'idHash']) {
      expect([secret, text.includes(secret)]).toEqual([secret, false])
    }
  })

  test('not without a session', async () => {
    expect((await api().request('/api/user/export')).status).toBe(401)
  })

  test('of a snapshot that cannot be read the rest is there', async () => {
    const site = siteOf('broken')
    await recordVersion(api().db, newVersion({ site, label: 's--broken', snapshot: '{' }), 5)
    const exported = (await (await ask('GET', '/api/user/export')).json()) as {
      sites: { rkey: string; versions: { files: unknown }[] }[]
    }
    expect(exported.sites.find(({ rkey }) => rkey === 'broken')?.versions[0]?.files).toBeNull()
  })

  test('one at once, an account: the next one when it has ended, however it did', async () => {
    const endings: ((answer: Response) => Promise<unknown>)[] = [
      (answer) => answer.text(),
      async (answer) => answer.body?.cancel(),
    ]
    for (const end of endings) {
      // Not by `ask`, which reads every answer to its end.
      const first = await api().app.request('/api/user/export', { headers: { cookie } })
      const second = await ask('GET', '/api/user/export')
      expect([second.status, second.headers.get('retry-after')]).toEqual([429, '10'])
      expect(await second.json()).toEqual({ error: sentences.exportRunning })
      expect((await ask('HEAD', '/api/user/export')).status).toBe(200)
      const other = await api().request('/api/user/export', {
        headers: { cookie: await api().signedIn(bob) },
      })
      expect(await other.json()).toMatchObject({ complete: true })
      await end(first)
    }
    expect((await ask('GET', '/api/user/export')).status).toBe(200)
  })

  test('a client that was gone before the export began does not block the next one', async () => {
    const signal = AbortSignal.abort()
    await api().app.request('/api/user/export', { headers: { cookie }, signal })
    expect((await ask('GET', '/api/user/export')).status).toBe(200)
  })

  test('a reader that leaves midway ends it', async () => {
    const answer = await ask('GET', '/api/user/export')
    const reader = answer.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect((await ask('GET', '/api/user/status')).status).toBe(200)
    expect(api().logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  test.each([
    ['its account is deleted', 'account deleted', () => ask('DELETE', '/api/user')],
    [
      'a site of it is removed',
      'sites removed',
      () => removeSite(api().db, siteOf('blog'), '3zzzzzzzzzzzz', 9),
    ],
  ])('is not complete, and does not say so, when %s meanwhile', async (_, why, happens) => {
    // More than the stream makes ahead.
    for (let index = 0; index < 20; index++) {
      const site = siteOf(`site-${index}`)
      await recordVersion(api().db, newVersion({ site, label: `s--${index}` }), 5)
    }
    const answer = await api().app.request('/api/user/export', { headers: { cookie } })
    const reader = answer.body?.getReader()
    let text = new TextDecoder().decode((await reader?.read())?.value)
    await happens()
    const rest = async (): Promise<void> => {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) return
        text += new TextDecoder().decode(value)
      }
    }
    await expect(rest()).rejects.toThrow(why)
    expect(text).not.toContain('"complete":true')
  })
})
