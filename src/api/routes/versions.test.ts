import { beforeEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { fromBufferPromise } from 'yauzl'
import { sentences } from '#api/contract/messages.ts'
import type { OAuth } from '#atproto/oauth/oauth.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { siteLabel } from '#site/site-address.ts'
import { decodeSnapshot, encodeSnapshot, type SnapshotFile } from '#site/visit/snapshot.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { findSnapshotText } from '#store/lifecycle/account-data.ts'
import { createJob } from '#store/queues/jobs.ts'
import { rememberBlob } from '#store/sites/blobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { recordVersionRecord, removeVersionRecord } from '#store/sites/record-version-record.ts'
import { findVersionSnapshot } from '#store/sites/version-records.ts'
import { listVersions, withdrawReplaced } from '#store/sites/versions.ts'
import { answerXrpc } from '#tests/support/answer-xrpc.ts'
import { testApi } from '#tests/support/api.ts'
import { FakeRepo, refusal } from '#tests/support/fake-repo.ts'
import {
  alice,
  bob,
  newJob,
  newVersion,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/sample-rows.ts'

const api = testApi()
const site = siteOf('blog')
const failed = (error: string) => ({ success: false, error })
const settings: SiteSettings = { $type: 'place.sitehost.settings', cleanUrls: true }
const now = Date.UTC(2026, 0, 2)

/** The id of the state of alice's blog that was replaced. */
let before: string
beforeEach(async () => {
  for (const did of [alice, bob]) await upsertAccount(api().db, { did }, 0)
  await publish('1', { 'index.html': '<h1>old</h1>', 'gone.txt': 'gone' }, settings)
  await publish('2', { 'index.html': '<h1>new</h1>', 'é/new page.txt': 'new' })
  const [, first] = await listVersions(api().db, site)
  before = `other-${first?.id}`
})

async function publish(
  nth: string,
  contents: Readonly<Record<string, string>>,
  settings: SiteSettings | null = null,
  site = siteOf('blog'),
): Promise<void> {
  const files = new Map<string, SnapshotFile>()
  for (const [path, content] of Object.entries(contents)) files.set(path, await stored(content))
  const recordCid = `cid-${nth}`
  const facts = { ...site, recordCid, publishedAt: now, settings, redirects: '', headers: '' }
  const snapshot = encodeSnapshot({ ...facts, files })
  const version = newVersion({
    site,
    label: siteLabel(site),
    recordCid,
    rev: `3kaaaaaaaaaa${nth}`,
    snapshot,
  })
  await recordVersion(api().db, version, now)
}

async function stored(content: string): Promise<SnapshotFile> {
  const { hash, bytes: storedBytes } = await api().blobs.put(gzipSync(content))
  const bytes = Buffer.byteLength(content)
  const form = { cid: `cid of ${content}`, coding: 'gzip', base64: false } as const
  const decoded = { decodedHash: 'decoded', decodedBytes: bytes }
  await rememberBlob(api().db, { ...form, ...decoded, hash, storedBytes }, now)
  return { cid: 'cid', hash, coding: 'gzip', storedBytes, bytes, contentType: 'text/plain' }
}

async function ask(path: string, did = alice): Promise<Response> {
  const headers = { cookie: await api().signedIn(did) }
  return await api().request(`/api/site/${path}`, { headers })
}

async function answer(path: string, did = alice): Promise<[number, unknown]> {
  const response = await ask(path, did)
  return [response.status, await response.json()]
}

test('the files of what is live, in the order of their paths', async () => {
  const url = 'http://blog.test/'
  const facts = { mediaType: 'text/plain' }
  expect(await answer('blog/versions/live/files')).toEqual([
    200,
    {
      files: [
        { path: 'index.html', bytes: 12, url: `${url}index.html`, ...facts },
        { path: 'é/new page.txt', bytes: 3, url: `${url}%C3%A9/new%20page.txt`, ...facts },
      ],
    },
  ])
})

test('the files of what another program has replaced have no address', async () => {
  const facts = { mediaType: 'text/plain', url: null }
  expect(await answer(`blog/versions/${before}/files`)).toEqual([
    200,
    {
      files: [
        { path: 'gone.txt', bytes: 4, ...facts },
        { path: 'index.html', bytes: 12, ...facts },
      ],
    },
  ])
})

describe('changes', () => {
  const index = [{ path: 'index.html', bytes: 12 }]
  const gone = [{ path: 'gone.txt', bytes: 4 }]
  const added = [{ path: 'é/new page.txt', bytes: 3 }]

  test('against what is live, with the settings', async () => {
    const field = 'cleanUrls'
    const changes = { changed: index, settings: [{ field, from: false, to: true }] }
    const body = { added: gone, removed: added, ...changes }
    expect(await answer(`blog/versions/${before}/changes`)).toEqual([200, body])
  })

  test('against another version', async () => {
    const field = 'cleanUrls'
    const changes = { changed: index, settings: [{ field, from: true, to: false }] }
    const body = { added, removed: gone, ...changes }
    expect(await answer(`blog/versions/live/changes?against=${before}`)).toEqual([200, body])
  })

  test('against itself: none', async () => {
    const none = { added: [], changed: [], removed: [], settings: [] }
    expect(await answer('blog/versions/live/changes')).toEqual([200, none])
  })

  test('against one that is not there', async () => {
    const body = failed(sentences.versionNotFound)
    expect(await answer('blog/versions/live/changes?against=other-x')).toEqual([404, body])
  })
})

describe('an archive', () => {
  test('holds the files, decoded', async () => {
    const response = await ask(`blog/versions/${before}/archive`)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="blog-${before}.zip"`,
    )
    const archive = await fromBufferPromise(Buffer.from(await response.arrayBuffer()))
    const files: [string, number][] = []
    for await (const { fileName, uncompressedSize } of archive.eachEntry()) {
      files.push([fileName, uncompressedSize])
    }
    expect(files).toEqual([
      ['gone.txt', 4],
      ['index.html', 12],
    ])
  })

  test('is made one at a time', async () => {
    const running = await ask('blog/versions/live/archive')
    expect(await answer('blog/versions/live/archive')).toEqual([
      429,
      failed(sentences.archiveRunning),
    ])
    await running.body?.cancel()
    const next = await ask('blog/versions/live/archive')
    expect(next.status).toBe(200)
    await next.body?.cancel()
  })

  test('without all bytes is none', async () => {
    for await (const hash of api().blobs.list()) await api().blobs.delete(hash)
    expect(await answer('blog/versions/live/archive')).toEqual([
      410,
      failed(sentences.filesNotKept),
    ])
  })
})

describe('each route', () => {
  for (const route of ['changes', 'files', 'archive']) {
    test(`${route}: a version that is no longer kept`, async () => {
      await withdrawReplaced(api().db, site)
      const body = failed(sentences.filesNotKept)
      expect(await answer(`blog/versions/${before}/${route}`)).toEqual([410, body])
    })

    test(`${route}: a version that is not there, or another account’s`, async () => {
      const notFound = failed(sentences.versionNotFound)
      for (const id of ['other-x', 'x', '3kaaaaaaaaaa2', 'other-', '%00', '..%2F']) {
        expect(await answer(`blog/versions/${id}/${route}`)).toEqual([404, notFound])
      }
      await publish('1', {}, null, siteOf('blog', bob))
      expect(await answer(`blog/versions/${before}/${route}`, bob)).toEqual([404, notFound])
    })

    test(`${route}: a site that is not there, or another account’s`, async () => {
      const notFound = failed('Site not found')
      expect(await answer(`shop/versions/live/${route}`)).toEqual([404, notFound])
      expect(await answer(`blog/versions/live/${route}`, bob)).toEqual([404, notFound])
    })
  }
})

describe('forgetting', () => {
  const [version, fs] = ['place.sitehost.version', 'place.sitehost.fs']
  const key = versionKeyOf(1)
  let repo: FakeRepo
  beforeEach(async () => {
    repo = new FakeRepo()
    repo.put(fs, 'blog', {})
    repo.put(version, key, { site: 'blog' })
    api().network.oauth.session = async (did) => {
      const handle = (path: string, init: RequestInit) => answerXrpc(repo, path, init)
      return { did, handle } as unknown as Awaited<ReturnType<OAuth['session']>>
    }
    const [, state] = await listVersions(api().db, site)
    const snapshot = await findSnapshotText(api().db, alice, state?.id ?? '')
    const record = newVersionRecord(1, { manifest: 'cid-1', snapshot })
    await recordVersionRecord(api().db, record, now)
  })

  async function forget(id: string, did = alice): Promise<[number, unknown]> {
    const headers = { cookie: await api().signedIn(did) }
    const init = { method: 'DELETE', headers }
    const response = await api().request(`/api/site/blog/versions/${id}`, init)
    return [response.status, await response.json()]
  }

  test('a version: its record, its rows and its bytes', async () => {
    const { files } = decodeSnapshot(
      (await findVersionSnapshot(api().db, { did: alice, key })) ?? '',
    )
    const bytes = files.values().reduce((sum, file) => sum + file.storedBytes, 0)
    const records = [`at://${alice}/${version}/${key}`]
    expect(await forget(key)).toEqual([
      200,
      { success: true, removed: { records, blobs: 2, bytes } },
    ])
    expect(repo.keys(version)).toEqual([])
    expect(await forget(key)).toEqual([404, failed(sentences.versionNotFound)])
    expect(await forget(before)).toEqual([404, failed(sentences.versionNotFound)])
    const [hash] = files.values().map(({ hash }) => hash)
    expect(await api().blobs.has(hash ?? '')).toBe(false)
    const events = api().logged.map(({ message }) => message)
    expect(events).toEqual(['version forgotten'])
  })

  test('a state by another program, without asking the account’s server', async () => {
    await removeVersionRecord(api().db, { did: alice, key }, '9', now)
    expect((await forget(before))[0]).toBe(200)
    expect(repo.calls).toEqual([])
  })

  test('what is live: not', async () => {
    const live: [number, unknown] = [409, failed(sentences.versionIsLive)]
    const [state] = await listVersions(api().db, site)
    expect(await forget('live')).toEqual(live)
    expect(await forget(`other-${state?.id}`)).toEqual(live)
    await recordVersionRecord(api().db, newVersionRecord(2, { manifest: 'cid-2' }), now)
    expect(await forget(versionKeyOf(2))).toEqual(live)
  })

  test('a site that is being published: later', async () => {
    await createJob(api().db, newJob(), { queuedMax: 5, now: 1 })
    expect(await forget(key)).toEqual([409, failed(sentences.beingPublished)])
  })

  test('another account’s: as one that does not exist', async () => {
    expect(await forget(key, bob)).toEqual([404, failed('Site not found')])
    await publish('1', {}, null, siteOf('blog', bob))
    expect(await forget(key, bob)).toEqual([404, failed(sentences.versionNotFound)])
    expect(repo.keys(version)).toEqual([key])
  })

  test('the account’s server refuses: everything stays', async () => {
    repo.before.set('applyWrites', () => {
      throw refusal(400, 'RepoDeactivated')
    })
    expect((await forget(key))[0]).toBe(502)
    expect(await findVersionSnapshot(api().db, { did: alice, key })).not.toBeNull()
    expect((await forget(key))[0]).toBe(200)
  })
})
