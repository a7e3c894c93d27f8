import { beforeEach, expect, test } from 'bun:test'
import { literals, sentences } from '#api/contract/messages.ts'
import { encodeSnapshot, type SnapshotFile } from '#site/visit/snapshot.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { setPrimaryDomain } from '#store/names/primary-domain.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { testApi } from '#tests/support/api.ts'
import { alice, bob, nameOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'

const api = testApi()
const site = siteOf('blog')
const first = 'alice.sites.example'
const second = 'blog.sites.example'

beforeEach(async () => {
  const { db } = api()
  await upsertAccount(db, { did: alice }, 0)
  const facts = { ...site, recordCid: 'cid', publishedAt: 0, settings: null, headers: '' }
  const files = new Map([['index.html', file]])
  const snapshot = encodeSnapshot({ ...facts, redirects: '/old /new\n', files })
  await recordVersion(db, newVersion({ site, recordCid: 'cid', snapshot }), 0)
  for (const domain of [first, second]) {
    await claimSubdomain(db, { did: alice, domain }, { subdomainsMax: 5, now: 0 })
    await mapSubdomain(db, { did: alice, domain }, nameOf('blog'), 0)
  }
})

const file: SnapshotFile = {
  ...{ cid: 'cid', hash: 'hash', coding: 'identity', storedBytes: 1, bytes: 1 },
  contentType: 'text/html',
}

async function explain(address: string, did = alice): Promise<unknown> {
  const response = await api().request(
    `/api/site/blog/explain?${new URLSearchParams({ address })}`,
    { headers: { cookie: await api().signedIn(did) } },
  )
  return await response.json()
}

test('a path is one of the primary address, an address one of the site’s', async () => {
  expect(await explain('/old?x')).toMatchObject({ status: 301, location: '/new?x' })
  expect(await explain(`http://${second}/`)).toMatchObject({ status: 200, file: 'index.html' })
  await setPrimaryDomain(api().db, site, first, 0)
  expect(await explain('/')).toMatchObject({ address: `http://${first}/`, by: 'file' })
  expect(await explain(`http://${second}/a/../b?c#d`)).toMatchObject({
    ...{ status: 308, by: 'primary', location: `http://${first}/b?c`, headers: [] },
  })
})

test('an address of nobody, or of another site, is not explained', async () => {
  const refused = { success: false, error: sentences.notAddressOfSite }
  for (const address of ['', 'about', 'ftp://x/', 'http://example.com/', 'http://[']) {
    expect(await explain(address)).toEqual(refused)
  }
  expect(await explain('/', bob)).toEqual({ success: false, error: literals.siteNotFound })
})

test('a site that is offline', async () => {
  const { db } = api()
  await putTakedown(db, { did: alice, site: nameOf('blog'), ...takedown })
  expect(await explain('/')).toMatchObject({ status: 451, by: 'takedown' })
})

const takedown = { status: 451, reason: 'phishing', at: 0, actor: 'admin' } as const
