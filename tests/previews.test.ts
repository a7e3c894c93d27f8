import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { optionalScopes, scopes } from '#atproto/oauth/oauth-client.ts'
import { previewMs } from '#site/limits.ts'
import { type Did, siteLabel } from '#site/site-address.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { countUploads } from '#tests/support/publishing/count-uploads.ts'
import { type Contents, DeployClient } from '#tests/support/publishing/deploy-client.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { createSession, listRecords, type PdsAccount } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// Previews over the deploy routes, and deploys on top of a version, on real servers (docs/versions.md).

let world: World
let client: AppClient
let alice: DeployClient
let repo: PdsAccount
beforeAll(async () => {
  world = await startWorld({ countsCalls: true })
  client = await world.signedIn('alice.test')
  alice = new DeployClient(client)
  repo = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

const versions = () => listRecords(repo, 'place.sitehost.version')

/** What a visitor gets: the page, or the status of what is none. */
async function page(url: unknown, path = ''): Promise<string | number> {
  const answer = await fetch(new URL(path, String(url)))
  const text = await answer.text()
  return answer.ok ? text : answer.status
}

interface Row {
  readonly id: string
  readonly state: string
  readonly alias: string | null
  readonly previewUrl: string | null
  readonly expiresAt: string | null
}

async function list(site: string): Promise<Row[]> {
  const answer = await client.fetch(`/api/site/${site}/versions`)
  return ((await answer.json()) as { versions: Row[] }).versions
}

async function restore(site: string, id: unknown): Promise<Record<string, unknown>> {
  const path = `/api/site/${site}/versions/${id}/restore`
  const answer = await client.fetch(path, { method: 'POST' })
  const { jobId } = (await answer.json()) as { jobId: string }
  const { result, error } = await client.watch(jobId)
  expect(error).toBeNull()
  return result ?? {}
}

describe('a preview of a site that is live', () => {
  const site: Contents = { 'index.html': 'live', 'about.html': 'about' }
  let live: Record<string, unknown>
  let first: Record<string, unknown>
  let second: Record<string, unknown>

  test('has an address of its own and one of its alias when its job ends; the site stays as it is', async () => {
    live = (await alice.deploy('blog', site)).result
    const preview = { alias: 'pr-12' }
    first = (await alice.deploy('blog', { ...site, 'index.html': 'first' }, { preview })).result
    const label = siteLabel(siteOf('blog', repo.did as Did)).slice('s--'.length)
    expect(first).toMatchObject({
      ...{ success: true, live: true, fileCount: 2, uploadedCount: 1, versionProblem: null },
      ...{ url: live['url'], uri: `at://${repo.did}/place.sitehost.version/${first['versionId']}` },
    })
    expect(String(first['previewUrl'])).toStartWith(`http://pr-12--${label}.`)
    for (const url of [first['versionUrl'], first['previewUrl']]) {
      expect([await page(url), await page(url, 'about.html')]).toEqual(['first', 'about'])
    }
    expect(await page(live['url'])).toBe('live')
    const [newest, replaced] = await list('blog')
    expect(newest).toMatchObject({ id: first['versionId'], state: 'preview', alias: 'pr-12' })
    expect(newest?.previewUrl).toBe(String(first['previewUrl']))
    expect(replaced).toMatchObject({ id: live['versionId'], state: 'live' })
    const end = Date.parse(newest?.expiresAt ?? '') - Date.now() - previewMs
    expect(Math.abs(end)).toBeLessThan(600_000)
  }, 60_000)

  test('is followed by the next one with its alias', async () => {
    const preview = { alias: 'pr-12', expiresAt: '2126-01-01T01:00:00+01:00' }
    await expect(alice.begin('blog', site, { preview })).rejects.toThrow('within 365 days')
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const options = { preview: { alias: 'pr-12', expiresAt }, base: 'live' } as const
    second = (await alice.deploy('blog', { 'index.html': 'second' }, options)).result
    expect(second['previewUrl']).toBe(first['previewUrl'])
    expect(await page(second['versionUrl'])).toBe('second')
    await eventually(async () => expect(await page(second['previewUrl'])).toBe('second'))
    expect([await page(first['versionUrl']), await page(live['url'])]).toEqual(['first', 'live'])
    expect((await list('blog'))[0]?.expiresAt).toBe(expiresAt)
  }, 60_000)

  test('goes live without an upload', async () => {
    const uploads = await countUploads(world)
    const promoted = await restore('blog', second['versionId'])
    expect(await uploads()).toBe(0)
    expect(promoted).toMatchObject({ live: true, versionId: second['versionId'], previewUrl: null })
    await eventually(async () => {
      expect([await page(live['url']), await page(live['url'], 'about.html')]).toEqual([
        ...['second', 'about'],
      ])
      // Its alias leads to the next older preview that has it.
      expect(await page(first['previewUrl'])).toBe('first')
    })
  }, 60_000)

  test('is 410, with a link to the site, when it has expired', async () => {
    const path = `/api/site/blog/versions/${first['versionId']}`
    const body = JSON.stringify({ expiresAt: '2020-01-01T00:00:00Z' })
    expect((await client.fetch(path, { method: 'PATCH', body })).status).toBe(200)
    await eventually(async () => {
      for (const url of [first['previewUrl'], first['versionUrl']]) {
        const answer = await fetch(String(url))
        const text = await answer.text()
        expect(answer.status).toBe(410)
        expect(text).toContain(`href="${live['url']}"`)
      }
    })
  }, 60_000)
})

test('a preview of a site that was never live is all that there is, until it is promoted', async () => {
  const { result } = await alice.deploy('draft', { 'index.html': 'draft' }, { preview: {} })
  expect(result).toMatchObject({ live: true, previewUrl: null })
  expect([await page(result['versionUrl']), await page(result['url'])]).toEqual(['draft', 404])
  expect(await listRecords(repo, 'place.sitehost.fs')).not.toContainEqual(
    expect.objectContaining({ rkey: 'draft' }),
  )
  expect(await list('draft')).toMatchObject([{ id: result['versionId'], state: 'preview' }])
  const { url } = await restore('draft', result['versionId'])
  await eventually(async () => expect(await page(url)).toBe('draft'))
}, 60_000)

test('a site that has only previews is deleted as others are', async () => {
  const site = { 'index.html': 'sketch' }
  const { result } = await alice.deploy('sketch', site, { preview: { alias: 'sketch' } })
  const { status } = await client.fetch('/api/site/sketch', { method: 'DELETE' })
  expect(status).toBe(200)
  await eventually(async () => {
    expect([await page(result['versionUrl']), await page(result['previewUrl'])]).toEqual([410, 410])
  })
}, 60_000)

test('settings of a preview are not those of the site', async () => {
  await alice.deploy('settled', { 'index.html': 'home', 'about.html': 'about' })
  const preview = { alias: 'clean' }
  const options = { base: 'live', preview, settings: { cleanUrls: true } }
  const { result } = await alice.deploy('settled', {}, options)
  expect(await page(result['previewUrl'], 'about')).toBe('about')
  const answer = await client.fetch('/api/site/settled/settings')
  expect(await answer.json()).not.toHaveProperty('cleanUrls', true)
  expect(await page(result['url'], 'about')).toBe(404)
}, 60_000)

test('a preview on a base that was replaced is refused, as a publish is', async () => {
  await alice.deploy('moved', { 'index.html': 'one' })
  const change = { 'index.html': 'a preview' }
  const begun = await alice.begin('moved', change, { base: 'live', preview: {} })
  await alice.deploy('moved', { 'index.html': 'two' })
  await alice.send(begun.deployId, 'a preview')
  expect(await alice.commit(begun.deployId)).toEqual([
    409,
    { error: expect.stringContaining('has changed since the deploy began') },
  ])
}, 60_000)

describe('a version as the base', () => {
  test('is changed, and replaces what is live', async () => {
    const { result: old } = await alice.deploy('based', { 'index.html': 'old', 'kept.txt': 'kept' })
    const { result: now } = await alice.deploy('based', { 'index.html': 'new' })
    const base = String(old['versionId'])
    const preview = { alias: 'based' }
    const shown = await alice.deploy('based', { 'more.txt': 'more' }, { base, preview })
    const { previewUrl } = shown.result
    expect(
      await Promise.all(['', 'kept.txt', 'more.txt'].map((path) => page(previewUrl, path))),
    ).toEqual(['old', 'kept', 'more'])
    expect([await page(now['url']), await page(now['url'], 'kept.txt')]).toEqual(['new', 404])

    const remove = ['index.html']
    const { result } = await alice.deploy('based', { 'more.txt': 'more' }, { base, remove })
    expect(result).toMatchObject({ fileCount: 2, uploadedCount: 0, live: true })
    await eventually(async () => {
      const paths = ['', 'kept.txt', 'more.txt']
      expect(await Promise.all(paths.map((path) => page(now['url'], path)))).toEqual([
        ...[404, 'kept', 'more'],
      ])
    })
  }, 60_000)

  test('that is forgotten before the commit publishes nothing', async () => {
    const { result: old } = await alice.deploy('forgotten', { 'index.html': 'old' })
    const { result: now } = await alice.deploy('forgotten', { 'index.html': 'new' })
    const change = { 'more.txt': 'more of it' }
    const begun = await alice.begin('forgotten', change, { base: String(old['versionId']) })
    const path = `/api/site/forgotten/versions/${old['versionId']}`
    expect((await client.fetch(path, { method: 'DELETE' })).status).toBe(200)
    const { error } = await alice.finish(begun, change)
    expect(error).toContain('not in your repository any more. Nothing was published.')
    expect([await page(now['url']), await page(now['url'], 'more.txt')]).toEqual(['new', 404])
  }, 60_000)

  test('that is not one of the site is refused', async () => {
    const { result } = await alice.deploy('elsewhere', { 'index.html': 'elsewhere' })
    const begin = (base: string) => alice.begin('based', { 'a.txt': 'a' }, { base })
    for (const base of [String(result['versionId']), '3mkq2vtpdbk2c']) {
      await expect(begin(base)).rejects.toThrow('404 {"error":"This site has no such version."}')
    }
    await expect(begin('other-x')).rejects.toThrow(/400 \{"error":"base: expected/)
  }, 60_000)
})

test('a session without the right to keep versions does not publish a preview', async () => {
  const before = await versions()
  const browser = world.client()
  const scope = scopes.filter((scope) => !optionalScopes.includes(scope)).join(' ')
  expect(await browser.signIn('bob.test', 'hunter2pass', { scope })).not.toContain('error')
  const bob = new DeployClient(browser)
  const site = { 'index.html': 'of bob' }
  await expect(bob.begin('blog', site, { preview: {} })).rejects.toThrow(/403 .*Sign out and in/)
  const owned = await createSession(world.network.pds, 'bob.test', 'hunter2pass')
  expect(await listRecords(owned, 'place.sitehost.fs')).toEqual([])
  expect((await bob.deploy('blog', site)).result).toMatchObject({ versionId: null })
  expect(await versions()).toEqual(before)
}, 60_000)
