import { beforeEach, describe, expect, test } from 'bun:test'
import { takeOffline } from '#admin/take-offline.ts'
import { sentences } from '#api/contract/messages.ts'
import { siteLabel } from '#site/site-address.ts'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { addAdmin } from '#store/accounts/admins.ts'
import { findLimitOverrides } from '#store/moderation/account-limits.ts'
import { listAuditEntries } from '#store/moderation/audit.ts'
import { listReports } from '#store/moderation/list-reports.ts'
import { findTakedown } from '#store/moderation/takedowns.ts'
import { claimSubdomain, findSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { createJob, findJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { baseDomain, cookieHeader, recordingLog, testApi } from '#tests/support/api.ts'
import {
  alice,
  bob,
  nameOf,
  newJob,
  newVersion,
  siteOf,
} from '#tests/support/database/sample-rows.ts'

const api = testApi()
const password = 'correct horse battery'
// Cheap to check: what a password costs is a rule of `hashPassword`.
const passwordHash = await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 })
const blog = siteOf('blog')
const label = siteLabel(blog)
let ruth: string
beforeEach(async () => {
  await addAdmin(api().db, { id: 'id-of-ruth', name: 'ruth', passwordHash, createdAt: 1 })
  const login = await send('login', { username: 'ruth', password }, '')
  ruth = cookieHeader(login.headers.getSetCookie())
  await upsertAccount(api().db, { did: alice, handle: 'alice.test' }, 1)
  await recordVersion(api().db, newVersion({ label }), 1)
})

const send = (path: string, body: object, cookie = ruth) =>
  api().request(`/api/admin/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { cookie },
  })
const read = async (path: string) =>
  (await (await api().request(`/api/admin/${path}`, { headers: { cookie: ruth } })).json()) as never
const audit = async () =>
  (await listAuditEntries(api().db, { limit: 50 })).map(
    ({ actor, action, subject, reason }) => `${actor} ${action} ${subject}: ${reason}`,
  )
const reason = 'a court said so'
const ofBlog = `sites/${alice}/blog`

describe('an action', () => {
  const actions: [path: string, body: object, entry: string][] = [
    [`${ofBlog}/take-down`, { status: 451 }, `site.take-down ${alice}/blog`],
    [`${ofBlog}/retry`, {}, `site.retry ${alice}/blog`],
    [`accounts/${alice}/take-down`, { status: 404 }, `account.take-down ${alice}`],
    [`accounts/${alice}/end-sessions`, {}, `account.end-sessions ${alice}`],
    [
      `accounts/${alice}/limits`,
      { sitesMax: 1, bytesMax: null, uploadsPerDayMax: 0 },
      `account.limits ${alice}`,
    ],
    ['allowed', { account: '@Alice.Test', allowed: true }, 'account.allow alice.test'],
  ]
  for (const [path, body, entry] of actions) {
    test(`${path}: with its audit entry`, async () => {
      expect((await send(path, { ...body, reason })).status).toBe(200)
      expect(await audit()).toEqual([`ruth ${entry}: ${reason}`])
    })

    test(`${path}: not without a reason, of at most 500 characters`, async () => {
      for (const given of [undefined, '', '  ', 'x'.repeat(501)]) {
        expect((await send(path, { ...body, reason: given })).status).toBe(400)
      }
      expect((await send(path, { ...body, reason: 'x'.repeat(500) })).status).toBe(200)
    })

    test(`${path}: not without an administrator`, async () => {
      for (const cookie of ['', await api().signedIn(alice)]) {
        expect((await send(path, { ...body, reason }, cookie)).status).toBe(401)
      }
      expect(await audit()).toEqual([])
    })
  }

  test('that does nothing leaves no entry', async () => {
    for (const path of [
      `${ofBlog}/bring-back`,
      `sites/${bob}/blog/retry`,
      'names/x.test/release',
    ]) {
      expect((await send(path, { reason })).status).toBe(404)
    }
    expect(await audit()).toEqual([])
  })

  test('that fails leaves neither its change nor an entry', async () => {
    await api().db.schema.dropTable('auditEntries').execute()
    const by = { actor: 'ruth', reason }
    const subject = { did: alice, site: nameOf('blog') }
    const context = { ...api(), log: recordingLog(), now: () => 1 }
    await expect(takeOffline(subject, 451, by, context)).rejects.toThrow()
    expect(await findTakedown(api().db, blog)).toBeNull()
  })

  test('keeps a reason as text, whatever it holds', async () => {
    const hostile = '</script>\r\nWARN forged {"a":1} \u202e\u0000'
    await send(`${ofBlog}/take-down`, { status: 451, reason: hostile })
    const { entries } = (await read('audit')) as { entries: { reason: string }[] }
    expect(entries[0]?.reason).toBe(hostile.trim().replace('\0', '\u{FFFD}'))
  })
})

describe('a takedown', () => {
  const upload = async (siteName: string) => {
    const form = new FormData()
    form.set('siteName', siteName)
    form.append('files', new File(['x'], 'index.html'))
    const headers = { cookie: await api().signedIn(alice) }
    const answer = await api().request('/sitehost/upload-files', {
      method: 'POST',
      body: form,
      headers,
    })
    return [answer.status, ((await answer.json()) as { error?: string }).error ?? null]
  }
  const listed = async () => {
    const headers = { cookie: await api().signedIn(alice) }
    const answer = await api().request('/api/user/sites', { headers })
    return ((await answer.json()) as { sites: { problems: string[]; state: string }[] }).sites[0]
  }

  test('is told to the owner, whose uploads to the site are refused until it ends', async () => {
    const sentence =
      'The operator of this service has taken this site offline: a court said so. You can still read and delete it.'
    await send(`${ofBlog}/take-down`, { status: 451, reason })
    expect(await listed()).toMatchObject({ state: 'offline', problems: [sentence] })
    expect(await upload('blog')).toEqual([403, sentence])
    expect((await upload('other'))[0]).toBe(200)
    await send(`${ofBlog}/bring-back`, { reason })
    expect(await listed()).toMatchObject({ state: 'live', problems: [] })
    expect((await upload('blog'))[0]).toBe(200)
  })

  test('of an account is one of all its sites', async () => {
    await send(`accounts/${alice}/take-down`, { status: 404, reason })
    const [status, error] = await upload('new')
    expect([status, error]).toEqual([
      403,
      'The operator of this service has taken your sites offline: a court said so. You can still read and delete them.',
    ])
    expect((await send(`${ofBlog}/bring-back`, { reason })).status).toBe(404)
    expect((await send(`accounts/${alice}/bring-back`, { reason })).status).toBe(200)
  })
})

describe('of an account', () => {
  test('sessions end', async () => {
    const cookie = await api().signedIn(alice)
    const status = async () =>
      (await api().request('/api/user/status', { headers: { cookie } })).status
    expect(await status()).toBe(200)
    await send(`accounts/${alice}/end-sessions`, { reason })
    expect(await status()).toBe(401)
  })

  test('limits are set as a whole', async () => {
    const limits = { sitesMax: 1, bytesMax: 5, uploadsPerDayMax: null }
    await send(`accounts/${alice}/limits`, { ...limits, reason })
    expect(await findLimitOverrides(api().db, alice)).toEqual(limits)
    for (const wrong of [-1, 1.5, '1']) {
      const refused = await send(`accounts/${alice}/limits`, { ...limits, sitesMax: wrong, reason })
      expect(refused.status).toBe(400)
    }
  })
})

describe('an account’s own limits are told when it uploads', () => {
  const facts: [limits: object, status: number, start: string][] = [
    [{ sitesMax: 1 }, 403, 'Your account can have 1 sites here.'],
    [{ bytesMax: 0 }, 413, 'The sites of an account can take 0 MB here together'],
    [{ uploadsPerDayMax: 0 }, 429, 'Your account can begin 0 uploads a day here.'],
  ]
  for (const [limits, status, start] of facts) {
    test(start, async () => {
      const none = { sitesMax: null, bytesMax: null, uploadsPerDayMax: null }
      await send(`accounts/${alice}/limits`, { ...none, ...limits, reason })
      const form = new FormData()
      form.set('siteName', 'another')
      form.append('files', new File(['x'], 'index.html'))
      const headers = { cookie: await api().signedIn(alice) }
      const init = { method: 'POST', body: form, headers }
      const answer = await api().request('/sitehost/upload-files', init)
      const { error } = (await answer.json()) as { error: string }
      expect([answer.status, error.slice(0, start.length)]).toEqual([status, start])
      expect(await api().spooled()).toEqual([])
    })
  }
})

test('an upload without files counts as one', async () => {
  const limits = { sitesMax: null, bytesMax: null, uploadsPerDayMax: 1 }
  await send(`accounts/${alice}/limits`, { ...limits, reason })
  const cookie = await api().signedIn(alice)
  const upload = async () => {
    const body = new FormData()
    body.set('siteName', 'empty')
    const init = { method: 'POST', body, headers: { cookie } }
    return (await api().request('/sitehost/upload-files', init)).status
  }
  expect([await upload(), await upload()]).toEqual([200, 429])
  expect(api().network.written).toMatchObject([
    { record: { $type: 'place.sitehost.fs' } },
    { record: { $type: 'place.sitehost.version' } },
  ])
})

test('one purge runs at a time', async () => {
  const purge = () => send(`${ofBlog}/purge-blobs`, { reason })
  const answers = await Promise.all([purge(), purge()])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])
  const refused = answers.find(({ status }) => status === 429)
  expect(await refused?.json()).toEqual({ error: sentences.purgeRunning })
  expect((await purge()).status).toBe(200)
})

test('a name is released for everybody at once', async () => {
  const domain = `shop.${baseDomain}`
  const claim = (did = bob) =>
    claimSubdomain(api().db, { did, domain }, { subdomainsMax: 3, now: api().now })
  await claim(alice)
  await mapSubdomain(api().db, { did: alice, domain }, nameOf('blog'), 1)
  expect((await send(`names/${domain.toUpperCase()}/release`, { reason })).status).toBe(200)
  expect(await findSubdomain(api().db, domain)).toBeNull()
  expect(await claim()).toEqual({ claimed: true })
})

test('a job is cancelled with the reason, once', async () => {
  const job = newJob()
  await createJob(api().db, job, { queuedMax: 5, now: 1 })
  expect((await send(`jobs/${job.id}/cancel`, { reason })).status).toBe(200)
  expect((await findJob(api().db, job.id))?.error).toBe(
    'The operator of this service cancelled the upload: a court said so',
  )
  expect((await send(`jobs/${job.id}/cancel`, { reason })).status).toBe(409)
  expect((await send('jobs/x/cancel', { reason })).status).toBe(404)
})

describe('a report', () => {
  const report = (facts: object = {}, client = '192.0.2.1') =>
    api().request('/api/report', {
      method: 'POST',
      body: JSON.stringify({
        url: `https://${label}.${baseDomain}/x`,
        kind: 'other',
        text: 'spam',
        ...facts,
      }),
      headers: { 'x-forwarded-for': client },
    })
  const open = () => listReports(api().db, { state: 'open', limit: 50 })

  test('is about the site at its address, on every kind of host', async () => {
    const domain = `shop.${baseDomain}`
    await claimSubdomain(api().db, { did: alice, domain }, { subdomainsMax: 3, now: 1 })
    await mapSubdomain(api().db, { did: alice, domain }, nameOf('blog'), 1)
    const urls = [
      `https://${label}.${baseDomain}/a?b#c`,
      `HTTP://${domain.toUpperCase()}:3000/`,
      domain,
      `https://sites.${baseDomain}/alice.test/blog/x`,
      `https://sites.${baseDomain}/${alice}/blog`,
    ]
    for (const [n, url] of urls.entries()) {
      expect([url, (await report({ url }, `192.0.2.${n}`)).status]).toEqual([url, 200])
    }
    const found = (await open()).map(({ did, site }) => `${did}/${site}`)
    expect(found).toEqual(urls.map(() => `${alice}/blog`))
  })

  test('comes from a form without scripts, too, whose fields are escaped', async () => {
    const post = (fields: Record<string, string>) =>
      api().request('/report', { method: 'POST', body: new URLSearchParams(fields).toString() })
    const url = `https://${label}.${baseDomain}/x`
    const sent = await post({ url, kind: 'malware', text: 'a virus', contact: '' })
    expect([sent.status, (await sent.text()).includes('Thank you.')]).toEqual([200, true])
    expect(await open()).toMatchObject([{ kind: 'malware', text: 'a virus', contact: null }])
    const hostile = '"><script>alert(1)</script>'
    for (const fields of [
      { url: hostile, kind: 'other', text: hostile },
      { url: 'https://example.org/', kind: 'other', text: hostile, contact: hostile },
    ]) {
      const again = await post(fields)
      expect([again.status, (await again.text()).includes('<script')]).toEqual([404, false])
    }
    const form = await api().request('/report', { headers: { referer: 'https://x.test/"y' } })
    expect(await form.text()).toContain('value="https://x.test/&#34;y"')
  })

  test('is about no other address', async () => {
    const urls = [
      'https://example.org/',
      'javascript:alert(1)',
      `https://s--${'a'.repeat(26)}.${baseDomain}/`,
      `https://sites.${baseDomain}/${bob}/blog`,
      `https://sites.${baseDomain}/%00/blog`,
      'http://[::1',
      '\0',
    ]
    for (const [n, url] of urls.entries()) {
      expect([url, (await report({ url }, `192.0.2.${n}`)).status]).toEqual([url, 404])
    }
    expect(await open()).toEqual([])
  })

  test('is limited: ten of a network in ten minutes, and its fields by their length', async () => {
    for (const facts of [
      { text: '' },
      { text: 'x'.repeat(2001) },
      { kind: 'boring' },
      { contact: 'x'.repeat(201) },
      { url: 'x'.repeat(2001) },
    ]) {
      expect((await report(facts, '192.0.2.9')).status).toBe(400)
    }
    const statuses = []
    for (let n = 0; n < 11; n++) statuses.push((await report()).status)
    expect(statuses).toEqual([...Array(10).fill(200), 429])
    expect(await open()).toMatchObject([{ times: 10 }])
  })

  test('of a network is one of at most 50 that wait, wherever in its IPv6 /48 it comes from', async () => {
    const { db } = api()
    const fromPrefix = (n: number) => report({ text: `${n}` }, `2001:db8:1:${n.toString(16)}::1`)
    for (const n of [1, 2]) expect((await fromPrefix(n)).status).toBe(200)
    const [first] = await open()
    expect(first).toMatchObject({ text: '1', times: 2 })
    if (first === undefined) throw new Error('nothing stored')
    const { id: _, ...row } = first
    const others = Array.from({ length: 49 }, (_, n) => ({ ...row, site: nameOf(`other-${n}`) }))
    await db.insertInto('reports').values(others).execute()
    const refused = await report({ kind: 'malware' }, '2001:db8:1:3::1')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '86400'])
    expect(await refused.json()).toEqual({ error: sentences.reportsOfNetwork })
    expect((await report({ kind: 'malware' }, '2001:db8:2:3::1')).status).toBe(200)
  })

  test('is stored without the visitor’s address', async () => {
    await report()
    const text = JSON.stringify(await api().db.selectFrom('reports').selectAll().execute())
    expect(text).not.toContain('192.0.2.1')
  })

  test('is handled once, by somebody, with an outcome', async () => {
    await report({ contact: 'me@example.org' })
    const listed = (await read('reports?state=open')) as { reports: { id: string }[] }
    expect(listed.reports).toMatchObject([
      { rkey: 'blog', text: 'spam', contact: 'me@example.org' },
    ])
    const handle = () =>
      send(`reports/${listed.reports[0]?.id}/handle`, { outcome: 'nothing found', reason })
    expect([(await handle()).status, (await handle()).status]).toEqual([200, 404])
    expect(await audit()).toEqual([`ruth report.handle ${listed.reports[0]?.id}: ${reason}`])
    expect((await read('reports?state=handled')) as object).toMatchObject({
      reports: [{ handledBy: 'ruth', outcome: 'nothing found' }],
    })
  })
})

test('lists come page by page', async () => {
  for (const account of ['a.test', 'b.test', 'c.test']) {
    await send('allowed', { account, allowed: true, reason })
    await send('invitations', { days: 1, reason })
  }
  for (const [path, key] of [
    ['allowed', 'accounts'],
    ['invitations', 'invitations'],
    ['audit', 'entries'],
  ] as const) {
    const first = (await read(`${path}?limit=2`)) as Record<string, unknown[]> & { cursor: string }
    const rest = (await read(`${path}?limit=200&cursor=${first.cursor}`)) as Record<
      string,
      unknown[]
    >
    const all = [...(first[key] ?? []), ...(rest[key] ?? [])]
    expect([path, new Set(all.map((row) => JSON.stringify(row))).size]).toEqual([
      path,
      path === 'audit' ? 6 : 3,
    ])
    expect(rest['cursor']).toBeNull()
  }
  expect(await read('allowed?search=b.t')).toMatchObject({
    signIn: 'open',
    accounts: [{ account: 'b.test' }],
    cursor: null,
  })
})

test('the account that is offline is known as it was', async () => {
  await send(`accounts/${alice}/take-down`, { status: 451, reason })
  expect((await findAccount(api().db, alice))?.status).toBe('active')
})
