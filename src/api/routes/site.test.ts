import { beforeEach, describe, expect, test } from 'bun:test'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import { findSiteByHost } from '#store/names/hosts.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { testApi } from '#tests/support/api.ts'
import { alice, bob, nameOf, newJob, siteOf } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { answerXrpc } from '#tests/support/servers/answer-xrpc.ts'
import { FakeRepo } from '#tests/support/servers/fake-repo.ts'

const api = testApi()
const fs = 'place.sitehost.fs'
const collection = 'place.sitehost.settings'
const notFound = [404, { success: false, error: 'Site not found' }]

/** Alice's repository, behind a server that speaks the protocol. Bob's is empty. */
let repo: FakeRepo
beforeEach(() => {
  repo = new FakeRepo()
  const { oauth } = api().network
  const repos = new Map([
    [alice, repo],
    [bob, new FakeRepo()],
  ])
  oauth.session = async (did) => {
    const handle = (path: string, init: RequestInit) =>
      answerXrpc(repos.get(did) as FakeRepo, path, init)
    return { did, handle } as unknown as Awaited<ReturnType<typeof oauth.session>>
  }
})

async function ask(method: string, path: string, body?: unknown, did = alice) {
  const response = await api().request(`/api/site/${path}`, {
    method,
    headers: { cookie: await api().signedIn(did) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return [response.status, await response.json()]
}

const down = (status: number, error: string) => () => {
  throw new ServerRefusedError('x', { status, data: { error } })
}

describe('deleting', () => {
  test('a site', async () => {
    repo.put(fs, 'blog', {})
    expect(await ask('DELETE', 'blog')).toEqual([
      200,
      { success: true, message: 'Site deleted successfully' },
    ])
    expect(repo.find(fs, 'blog')).toBeNull()
    expect(await ask('DELETE', 'blog')).toEqual(notFound)
    expect(api().logged).toMatchObject([{ level: 'info', message: 'site deleted' }])
  })

  test('takes the site from its domains, also when it is gone already', async () => {
    const domain = 'alice.sites.example'
    await claimSubdomain(api().db, { did: alice, domain }, { subdomainsMax: 1, now: 1 })
    for (const isThere of [true, false]) {
      if (isThere) repo.put(fs, 'blog', {})
      await mapSubdomain(api().db, { did: alice, domain }, nameOf('blog'), 2)
      expect((await ask('DELETE', 'blog', undefined, bob))[0]).toBe(404)
      expect(await findSiteByHost(api().db, domain)).toEqual(siteOf('blog'))
      expect((await ask('DELETE', 'blog'))[0]).toBe(isThere ? 200 : 404)
      expect(await findSiteByHost(api().db, domain)).toBeNull()
    }
  })

  test('somebody else’s: as one that does not exist', async () => {
    repo.put(fs, 'blog', {})
    expect(await ask('DELETE', 'blog', undefined, bob)).toEqual(notFound)
    expect(repo.find(fs, 'blog')).not.toBeNull()
  })

  test('one that is being published: later', async () => {
    repo.put(fs, 'blog', {})
    repo.put(fs, 'shop', {})
    const job = newJob()
    await createJob(api().db, job, { queuedMax: 5, now: 1 })
    await createJob(api().db, newJob({ did: bob, site: nameOf('shop') }), { queuedMax: 5, now: 1 })
    expect(await ask('DELETE', 'blog')).toEqual([
      409,
      {
        success: false,
        error: 'This site is being published. Wait until that has finished, or cancel it.',
      },
    ])
    expect(repo.find(fs, 'blog')).not.toBeNull()
    expect((await ask('DELETE', 'shop'))[0]).toBe(200)
    await finishJob(api().db, job.id, { status: 'failed', error: 'x' }, 2)
    expect((await ask('DELETE', 'blog'))[0]).toBe(200)
  })

  test('one that changes meanwhile: tried again by who asked', async () => {
    repo.put(fs, 'blog', {})
    repo.before.set('applyWrites', () => repo.put(fs, 'blog', { new: true }))
    expect(await ask('DELETE', 'blog')).toEqual([
      409,
      {
        success: false,
        error: 'This site was changed by another program meanwhile. Try again.',
      },
    ])
  })
})

describe('settings', () => {
  test('of a site without them, or of none: the defaults', async () => {
    const defaults = { indexFiles: ['index.html'], cleanUrls: false, directoryListing: false }
    expect(await ask('GET', 'blog/settings')).toEqual([200, defaults])
  })

  test('are written as a record and read back', async () => {
    repo.put(fs, 'blog', {})
    const settings = { cleanUrls: true, spaMode: 'index.html' }
    const record = { $type: collection, ...settings }
    const written = await ask('POST', 'blog/settings', { ...settings, $type: 'x', unknown: 1 })
    const cid = repo.find(collection, 'blog')?.cid
    expect(written).toEqual([200, { success: true, uri: `at://${alice}/${collection}/blog`, cid }])
    expect(repo.find(collection, 'blog')?.value).toEqual(record)
    expect(await ask('GET', 'blog/settings')).toEqual([200, record])
    expect(await ask('GET', 'blog/settings', undefined, bob)).not.toEqual([200, record])
  })

  test('that another program changes at that moment stay as that left them', async () => {
    repo.put(fs, 'blog', {})
    repo.before.set('applyWrites', () => repo.put(collection, 'blog', { spaMode: 'theirs' }))
    expect(await ask('POST', 'blog/settings', { cleanUrls: true })).toEqual([
      409,
      {
        success: false,
        error: 'This site was changed by another program meanwhile. Try again.',
      },
    ])
    expect(repo.find(collection, 'blog')?.value).toEqual({ spaMode: 'theirs' })
  })

  test('a prototype is a field like any other that is not known: dropped (H39)', async () => {
    repo.put(fs, 'blog', {})
    const body = '{"__proto__":{"spaMode":"evil.html","polluted":true},"cleanUrls":true}'
    expect((await ask('POST', 'blog/settings', body))[0]).toBe(200)
    expect(await ask('GET', 'blog/settings')).toEqual([200, { $type: collection, cleanUrls: true }])
    expect('polluted' in {}).toBe(false)
  })

  test('have the site looked at again at once, when they were written', async () => {
    const queued = async () =>
      (await workRows(api().db, 'site')).map(({ did, site }) => ({ did, name: site }))
    await ask('POST', 'blog/settings', { cleanUrls: true })
    expect(await queued()).toEqual([])
    repo.put(fs, 'blog', {})
    await ask('POST', 'blog/settings', { cleanUrls: true })
    expect(await queued()).toEqual([{ did: alice, name: nameOf('blog') }])
  })

  test('as large as they may be', async () => {
    repo.put(fs, 'blog', {})
    const header = { name: 'a'.repeat(100), value: '~'.repeat(1000), path: 'é'.repeat(250) }
    const headers = Array.from({ length: 50 }, () => header)
    expect((await ask('POST', 'blog/settings', { headers }))[0]).toBe(200)
  })

  const refused: [string, unknown, number, string][] = [
    [
      'two modes',
      { spaMode: 'a', directoryListing: true },
      400,
      'Only one of spaMode, directoryListing, or custom404 can be enabled',
    ],
    ['another type', { cleanUrls: 1 }, 400, 'cleanUrls: '],
    ['a way up', { indexFiles: ['../x'] }, 400, 'indexFiles.0: '],
    ['no path', { headers: [{ name: 'X', value: '', path: '/a/../b' }] }, 400, 'headers.0.path: '],
    [
      'too many searches in the paths of headers',
      { headers: [{ name: 'X', value: '', path: `/${'*a'.repeat(200)}` }] },
      400,
      'headers.0.path: more than',
    ],
    ['a list', [], 400, 'body: '],
    ['a form', 'cleanUrls=true', 400, 'body: expected JSON'],
    ['nothing', '', 400, 'body: expected JSON'],
    ['too much', `"${'x'.repeat(512 * 1024)}"`, 413, 'body: at most'],
  ]
  for (const [what, body, status, error] of refused) {
    test(`${what}: ${status}, and nothing is asked of the server`, async () => {
      repo.put(fs, 'blog', {})
      const answer = await ask('POST', 'blog/settings', body)
      expect(answer).toEqual([
        status,
        { success: false, error: expect.stringMatching(new RegExp(`^${error}`)) },
      ])
      expect(repo.calls).toEqual([])
    })
  }

  test('for a site that is not there, or not mine', async () => {
    repo.put(fs, 'blog', {})
    expect(await ask('POST', 'other/settings', {})).toEqual(notFound)
    expect(await ask('POST', 'blog/settings', {}, bob)).toEqual(notFound)
    expect(repo.keys(collection)).toEqual([])
  })
})

describe('every route', () => {
  const routes: [string, string, unknown?][] = [
    ['DELETE', ''],
    ['GET', '/settings'],
    ['POST', '/settings', {}],
  ]

  for (const [method, path, body] of routes) {
    for (const name of ['a%2Fb', 'a%20b', '%00', '%zz', 'a%5Cb', 'x'.repeat(513)]) {
      test(`${method} /${name.slice(0, 9)}${path}: no such site`, async () => {
        expect(await ask(method, `${name}${path}`, body)).toEqual(notFound)
        expect(repo.calls).toEqual([])
      })
    }

    test(`${method} ${path}: the account’s server refuses`, async () => {
      repo.put(fs, 'blog', {})
      for (const call of ['latestCommit', 'findRecord']) {
        repo.before.set(call, down(400, 'RepoDeactivated'))
      }
      expect(await ask(method, `blog${path}`, body)).toEqual([
        502,
        { success: false, error: 'Your account’s server refused: RepoDeactivated' },
      ])
    })
  }

  test('the account’s server stays away: told within seconds', async () => {
    repo.findRecord = down(500, 'InternalServerError')
    expect(await ask('GET', 'blog/settings')).toEqual([
      502,
      {
        success: false,
        error: 'Your account’s server has a fault at the moment. Try again in a few minutes.',
      },
    ])
  })

  test('signed out: as everywhere', async () => {
    for (const [method, path] of routes) {
      const response = await api().request(`/api/site/blog${path}`, { method })
      expect([response.status, await response.json()]).toEqual([401, { error: 'Unauthorized' }])
    }
  })
})
