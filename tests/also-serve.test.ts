import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AppClient } from '../devnet/app-client.ts'
import { deleteRecord, getRecord, type PdsAccount, putRecord } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { runCommand } from './support/processes/run-command.ts'
import { countUploads } from './support/publishing/count-uploads.ts'
import { pageUrl, visit, writeSite } from './support/visitors/plain-sites.ts'
import {
  putWispPart,
  putWispSite,
  wispDirectory,
  wispEntry,
  wispFile,
  wispPageUrl,
  wispPartNode,
} from './support/visitors/wisp-sites.ts'
import { startWorldOfAlice, type World } from './support/world.ts'

// ALSO_SERVE=place.wisp: sites of that network, written by a bare script as its own tools would.

let world: World
let alice: AppClient
let repo: PdsAccount
beforeAll(async () => {
  const environment = { ALSO_SERVE: 'place.wisp' }
  ;({ world, alice, repo } = await startWorldOfAlice({ environment, countsCalls: true }))
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

const theirs = (site: string, path?: string) => visit(wispPageUrl(world.app, repo.did, site, path))
const page = (text: string) => `<!doctype html><h1>${text}</h1>`.repeat(20)
const noise = crypto.getRandomValues(new Uint8Array(3000))

async function writeBlog(): Promise<void> {
  const part = wispPartNode(repo, 'fs', 'blog-1')
  const mounted = wispPartNode(repo, 'fs', 'blog-3', { flat: false })
  await putWispPart(
    repo,
    'blog-2',
    wispEntry('deep.html', await wispFile(repo, 'subfs', page('deep'), { stored: 'base64' })),
  )
  await putWispPart(
    repo,
    'blog-1',
    wispEntry('about.html', await wispFile(repo, 'subfs', page('about'))),
    wispEntry(
      'posts',
      wispDirectory('subfs', wispEntry('x', wispPartNode(repo, 'subfs', 'blog-2'))),
    ),
  )
  await putWispPart(
    repo,
    'blog-3',
    wispEntry(
      'noise.bin',
      await wispFile(repo, 'subfs', noise, { stored: 'plain', mimeType: 'image/png' }),
    ),
  )
  await putRecord(repo, 'place.wisp.settings', 'blog', {
    directoryListing: false,
    cleanUrls: true,
    headers: [
      { $type: 'place.wisp.settings#customHeader', name: 'X-Of', value: 'wisp', path: '*.bin' },
    ],
  })
  await putWispSite(
    repo,
    'blog',
    wispEntry('index.htm', await wispFile(repo, 'fs', page('home'))),
    wispEntry('not_found.html', await wispFile(repo, 'fs', page('nothing'))),
    wispEntry('part', part),
    wispEntry('assets', mounted),
  )
}

describe('a site of place.wisp', () => {
  beforeAll(async () => {
    await writeSite(repo, 'blog', { 'index.html': 'ours' })
    await writeBlog()
    await eventually(async () => expect(await theirs('blog')).toBe(page('home')), 30_000)
  }, 60_000)

  test('is served byte for byte, at a host of its own, next to ours with the same name', async () => {
    await eventually(async () =>
      expect(await visit(pageUrl(world.app, repo.did, 'blog'))).toBe('ours'),
    )
    expect(await theirs('blog', '/about')).toBe(page('about'))
    expect(await theirs('blog', '/posts/deep')).toBe(page('deep'))
    const bytes = await (
      await fetch(wispPageUrl(world.app, repo.did, 'blog', '/assets/noise.bin'))
    ).bytes()
    expect(bytes).toEqual(noise)
  })

  test('has the conventions and settings of its network', async () => {
    const missing = await fetch(wispPageUrl(world.app, repo.did, 'blog', '/posts/none'))
    expect([missing.status, await missing.text()]).toEqual([404, page('nothing')])
    const about = await fetch(wispPageUrl(world.app, repo.did, 'blog', '/about'))
    expect(about.headers.get('x-of')).toBeNull()
    const noisy = await fetch(wispPageUrl(world.app, repo.did, 'blog', '/assets/noise.bin'))
    expect(noisy.headers.get('x-of')).toBe('wisp')
    expect(about.headers.get('content-type')).toStartWith('text/html')
    expect(about.headers.get('x-sitehost-record')).toBe(`at://${repo.did}/place.wisp.fs/blog`)
  })

  test('is found by its owner and name where ours has none like it', async () => {
    await putWispSite(repo, 'alone', wispEntry('a.txt', await wispFile(repo, 'fs', 'alone')))
    await eventually(async () => expect(await theirs('alone', '/a.txt')).toBe('alone'))
    const at = async (site: string) => {
      const url = new URL(`/${repo.did}/${site}/a.txt`, world.app)
      url.hostname = 'sites.localhost'
      return (await fetch(url, { redirect: 'manual' })).headers.get('location')
    }
    expect(await at('alone')).toBe(wispPageUrl(world.app, repo.did, 'alone', '/a.txt').href)
    expect(await at('blog')).toBe(pageUrl(world.app, repo.did, 'blog', '/a.txt').href)
  })

  test('follows its record: a change, a part that changes, a removal', async () => {
    const holding = async (text: string) => wispEntry('a.txt', await wispFile(repo, 'fs', text))
    await putWispPart(repo, 'moving-1', wispEntry('b.txt', await wispFile(repo, 'subfs', 'one')))
    const part = wispEntry('x', wispPartNode(repo, 'fs', 'moving-1'))
    await putWispSite(repo, 'moving', await holding('one'), part)
    await eventually(async () => expect(await theirs('moving', '/b.txt')).toBe('one'))
    await putWispPart(repo, 'moving-1', wispEntry('b.txt', await wispFile(repo, 'subfs', 'two')))
    await eventually(async () => expect(await theirs('moving', '/b.txt')).toBe('two'))
    await putWispSite(repo, 'moving', await holding('two'))
    await eventually(async () => expect(await theirs('moving', '/a.txt')).toBe('two'))
    await deleteRecord(repo, 'place.wisp.fs', 'moving')
    await eventually(async () => expect(await theirs('moving', '/a.txt')).toBe(404))
  })

  test('is none of the sites that its owner changes here', async () => {
    const { sites } = (await (await alice.fetch('/api/user/sites')).json()) as { sites: object[] }
    expect(sites).toMatchObject([{ rkey: 'blog', uri: `at://${repo.did}/place.sitehost.fs/blog` }])
  })
})

const post = (path: string, body: object) =>
  alice.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('bringing it over', () => {
  const bring = async (name: string, rkey?: string) => {
    const answer = await post('/api/user/foreign-sites/bring-over', { name, ...(rkey && { rkey }) })
    return {
      status: answer.status,
      ...((await answer.json()) as { jobId?: string; error?: string }),
    }
  }
  const listed = async (name: string) => {
    const answer = await alice.fetch('/api/user/foreign-sites')
    const { sites } = (await answer.json()) as { sites: { name: string; copy: string | null }[] }
    return sites.find((site) => site.name === name)
  }

  test('makes no upload: our records name the same blobs, and the site is served the same', async () => {
    const uploads = await countUploads(world)
    expect(await listed('place.wisp.fs/blog')).toMatchObject({
      ...{ rkey: 'blog', network: 'place.wisp', state: 'live', fileCount: 5, copy: null },
      url: wispPageUrl(world.app, repo.did, 'blog').href,
    })
    const { jobId, status } = await bring('place.wisp.fs/blog', 'moved')
    expect(status).toBe(200)
    const { result } = await alice.watch(String(jobId))
    expect(result).toMatchObject({ success: true, fileCount: 5 })
    expect(await uploads()).toBe(0)
    const ours = (path: string) => visit(pageUrl(world.app, repo.did, 'moved', path))
    for (const path of ['/', '/about', '/posts/deep']) {
      expect(await ours(path)).toBe(await theirs('blog', path))
    }
    const bytes = await (
      await fetch(pageUrl(world.app, repo.did, 'moved', '/assets/noise.bin'))
    ).bytes()
    expect(bytes).toEqual(noise)
    const missing = await fetch(pageUrl(world.app, repo.did, 'moved', '/none'))
    expect([missing.status, await missing.text()]).toEqual([404, page('nothing')])
    expect(await listed('place.wisp.fs/blog')).toMatchObject({ copy: 'moved' })
  })

  test('the site stays when the foreign one goes, with every byte at the account’s server', async () => {
    await deleteRecord(repo, 'place.wisp.fs', 'blog')
    for (const part of ['blog-1', 'blog-2', 'blog-3']) {
      await deleteRecord(repo, 'place.wisp.subfs', part)
    }
    await eventually(async () => expect(await theirs('blog')).toBe(404))
    const { root } = (await getRecord(repo, 'place.sitehost.fs', 'moved')) as {
      root: { entries: { node: { blob?: { ref: { $link: string } } } }[] }
    }
    const cids = root.entries.flatMap(({ node }) => node.blob?.ref.$link ?? [])
    expect(cids).not.toEqual([])
    for (const cid of cids) {
      const url = `${repo.pds}/xrpc/com.atproto.sync.getBlob?did=${repo.did}&cid=${cid}`
      expect((await fetch(url)).status).toBe(200)
    }
    await writeBlog()
    await eventually(async () => expect(await theirs('blog')).toBe(page('home')))
  })

  test('a name that is taken, and what is not there, are refused in a sentence', async () => {
    expect(await bring('place.wisp.fs/blog')).toMatchObject({
      status: 409,
      error: 'You have a site of this name already. Choose another name.',
    })
    expect((await bring('place.wisp.fs/none')).status).toBe(404)
  })

  test('what is taken down here stays offline, and its copy is not', async () => {
    const foreign = ['place.wisp.fs/blog', 'moved'] as const
    const data = ['--data', world.dataDir, '--reason', 'a court said so']
    const subject = `${repo.did}/${foreign[0]}`
    expect((await runCommand(['site', 'take-down', subject, ...data], {})).code).toBe(0)
    await eventually(async () => expect(await theirs('blog')).toBe(451))
    expect(await listed(foreign[0])).toMatchObject({ state: 'offline' })
    expect(await visit(pageUrl(world.app, repo.did, foreign[1]))).toBe(page('home'))
    expect((await runCommand(['site', 'bring-back', subject, ...data], {})).code).toBe(0)
    await eventually(async () => expect(await theirs('blog')).toBe(page('home')))
  })

  test('a name of the account can lead to a foreign site', async () => {
    await post('/api/domain/claim', { handle: 'wispy-alice' })
    const domain = 'wispy-alice.localhost'
    const mapped = await post('/api/domain/sitehost/map-site', {
      domain,
      siteRkey: 'place.wisp.fs/blog',
    })
    expect(mapped.status).toBe(200)
    const url = new URL(world.app)
    url.hostname = domain
    await eventually(async () => expect(await visit(url)).toBe(page('home')))
  })
})

describe('webhooks', () => {
  const url = 'http://127.0.0.1:1/hook'
  const ask = async (path: string) => (await alice.fetch(path)).json()

  test('of place.wisp are read from the account’s server, and become ours with one request', async () => {
    await putRecord(repo, 'place.wisp.v2.wh', 'theirs', {
      scope: { aturi: `at://${repo.did}/place.wisp.fs/alone`, backlinks: true },
      ...{
        url,
        events: ['create', 'update'],
        secret: 'open sesame',
        createdAt: '2026-01-02T03:04:05Z',
      },
    })
    const wanted = { url, rkey: 'place.wisp.fs/alone', events: ['site.published'], enabled: true }
    const notes = ['backlinks', 'public-secret']
    expect(await ask('/api/user/foreign-webhooks')).toMatchObject({
      webhooks: [{ key: 'theirs', ...wanted, notes, problem: null, webhook: null }],
      more: false,
    })
    const answer = await post('/api/user/foreign-webhooks/bring-over', { key: 'theirs' })
    expect(await answer.json()).toMatchObject({
      secret: `whsec_${Buffer.from('open sesame').toString('base64')}`,
      ...{ webhook: wanted, notes },
    })
    const { webhooks } = (await ask('/api/webhooks')) as { webhooks: { id: string }[] }
    expect(webhooks).toMatchObject([wanted])
    await putWispSite(repo, 'alone', wispEntry('a.txt', await wispFile(repo, 'fs', 'again')))
    await eventually(async () =>
      expect(await ask(`/api/webhooks/${webhooks[0]?.id}/deliveries`)).toMatchObject({
        deliveries: [{ event: 'site.published', rkey: 'place.wisp.fs/alone' }],
      }),
    )
    expect(await getRecord(repo, 'place.wisp.v2.wh', 'theirs')).toMatchObject({ url })
  })
})

test('a service that does not serve the network any more drops its sites, and only those', async () => {
  await world.restart({ ALSO_SERVE: '' })
  await eventually(async () => expect(await theirs('blog')).toBe(404))
  expect(await visit(pageUrl(world.app, repo.did, 'blog'))).toBe('ours')
  await world.restart({ ALSO_SERVE: 'place.wisp' })
  const synced = await alice.fetch('/api/user/sync', { method: 'POST' })
  expect(await synced.json()).toMatchObject({ success: true })
  expect(await theirs('blog')).toBe(page('home'))
})
