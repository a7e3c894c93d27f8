import { beforeEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { fromBufferPromise } from 'yauzl'
import { sentences } from '#api/contract/messages.ts'
import type { OAuth } from '#atproto/oauth/oauth.ts'
import { previewDaysMax, previewMs } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { siteLabel } from '#site/site-address.ts'
import { decodeSnapshot, encodeSnapshot, type SnapshotFile } from '#site/visit/snapshot.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { rememberBlob } from '#store/blobs/blobs.ts'
import { findSnapshotText } from '#store/lifecycle/account-data.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { enqueueVersions } from '#store/queues/enqueue.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob, findJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import {
  type NewVersionRecord,
  recordVersionRecord,
  removeVersionRecord,
} from '#store/sites/version-records/record-version-record.ts'
import { findVersionSnapshot } from '#store/sites/version-records/version-records.ts'
import { listVersions, withdrawReplaced } from '#store/sites/versions.ts'
import { testApi } from '#tests/support/api.ts'
import {
  alice,
  bob,
  newJob,
  newVersion,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { askedAt, workRows } from '#tests/support/database/work-rows.ts'
import { answerXrpc } from '#tests/support/servers/answer-xrpc.ts'
import { FakeRepo, refusal } from '#tests/support/servers/fake-repo.ts'

const api = testApi()
const site = siteOf('blog')
const failed = (error: string) => ({ success: false, error })
const settings: SiteSettings = { $type: 'place.sitehost.settings', cleanUrls: true }
const now = Date.UTC(2026, 0, 2)
const collection = 'place.sitehost.version'

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
    publishedAt: now,
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

/** Every account's server answers with this repository. */
function served(repo: FakeRepo): FakeRepo {
  api().network.oauth.session = async (did) => {
    const handle = (path: string, init: RequestInit) => answerXrpc(repo, path, init)
    return { did, handle } as unknown as Awaited<ReturnType<OAuth['session']>>
  }
  return repo
}

async function ask(path: string, did = alice, method = 'GET'): Promise<Response> {
  const headers = { cookie: await api().signedIn(did) }
  return await api().request(`/api/site/${path}`, { method, headers })
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

describe('a file', () => {
  const contentAt = async (path: string) =>
    await ask(`blog/versions/live/content?path=${encodeURIComponent(path)}`)

  test('is sent decoded, as a download with its own name', async () => {
    const response = await contentAt('é/new page.txt')
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''new%20page.txt",
    )
    expect(await response.text()).toBe('new')
  })

  test('is 404 for another path, and 410 without its bytes', async () => {
    expect(await answer('blog/versions/live/content?path=gone.txt')).toEqual([
      404,
      failed(sentences.fileNotFound),
    ])
    for await (const hash of api().blobs.list()) await api().blobs.delete(hash)
    expect(await answer('blog/versions/live/content?path=index.html')).toEqual([
      410,
      failed(sentences.filesNotKept),
    ])
  })

  test('eight at a time', async () => {
    const running = await Promise.all(Array.from({ length: 8 }, () => contentAt('index.html')))
    const head = async () => await ask('blog/versions/live/content?path=index.html', alice, 'HEAD')
    const others = [contentAt('index.html'), contentAt('gone.txt'), head()]
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([429, 429, 429])
    for (const { body } of running) await body?.cancel()
    for (let n = 0; n < 9; n++) {
      expect([(await contentAt('gone.txt')).status, (await head()).status]).toEqual([404, 200])
    }
    expect(await (await contentAt('index.html')).text()).toBe('<h1>new</h1>')
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
    // Whether there is such a version is not looked up: that decodes a snapshot.
    expect((await answer('blog/versions/3laaaaaaaaa2c/archive'))[0]).toBe(429)
    await running.body?.cancel()
    expect((await answer('blog/versions/3laaaaaaaaa2c/archive'))[0]).toBe(404)
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

describe('the list', () => {
  const state = { message: null, source: null, alias: null, pinned: false, expiresAt: null }
  const url = 'http://blog.test/'

  test('has what other programs have published, newest first', async () => {
    const facts = {
      ...state,
      uri: `at://${alice}/place.sitehost.fs/blog`,
      ...{ createdAt: new Date(now).toISOString(), publishedAt: new Date(now).toISOString() },
      ...{ fileCount: 2, bytes: 1000, previewUrl: null, by: 'other-program', problems: [] },
    }
    const id = expect.stringMatching(/^other-/)
    expect(await answer('blog/versions')).toEqual([
      200,
      {
        versions: [
          { ...facts, id, state: 'live', url },
          { ...facts, id: before, state: 'replaced', url: null },
        ],
        cursor: null,
      },
    ])
  })

  test('does not say who has published what a version record may describe that is still to be read', async () => {
    const { db } = api()
    const key = versionKeyOf(9)
    await enqueueVersions(askedAt(db, now), [{ did: alice, key }])
    const rows = [{ state: 'live', by: null }, { by: null }]
    expect(await answer('blog/versions')).toMatchObject([200, { versions: rows }])
    await recordVersionRecord(db, newVersionRecord(9, { manifest: 'cid-2' }), now)
    const read = [{ by: 'other-program' }, { id: key, by: 'owner' }]
    expect(await answer('blog/versions')).toMatchObject([200, { versions: read }])
  })

  test('has version records in every state', async () => {
    const keep = (n: number, facts: Partial<NewVersionRecord>) =>
      recordVersionRecord(api().db, newVersionRecord(n, { createdAt: now, ...facts }), now)
    await keep(1, { manifest: 'cid-2', message: 'Launch', source: { commit: 'abc' }, pinned: true })
    await keep(2, { manifest: 'cid-1' })
    const later = api().now + 1000
    await keep(3, { manifest: null, alias: 'pr-12', expiresAt: later })
    await keep(4, { manifest: null, expiresAt: api().now })
    const refused = { label: null, snapshot: null, filesDigest: null, problems: ['bad entry'] }
    await keep(5, { manifest: null, ...refused })
    const [status, body] = await answer('blog/versions')
    expect(status).toBe(200)
    const { versions } = body as { versions: Record<string, unknown>[] }
    const label = siteLabel(site).slice('s--'.length)
    expect(versions).toMatchObject([
      { id: versionKeyOf(5), state: 'refused', url: null, problems: ['bad entry'] },
      { id: versionKeyOf(4), state: 'expired', url: null, publishedAt: null },
      {
        ...{ id: versionKeyOf(3), state: 'preview', alias: 'pr-12' },
        ...{ url: 'http://v--3.test/', previewUrl: `http://pr-12--${label}.test/` },
        expiresAt: new Date(later).toISOString(),
      },
      { id: versionKeyOf(2), state: 'replaced', url: 'http://v--2.test/', by: 'owner' },
      {
        ...{
          id: versionKeyOf(1),
          state: 'live',
          uri: `at://${alice}/${collection}/${versionKeyOf(1)}`,
        },
        ...{ message: 'Launch', source: { commit: 'abc' }, pinned: true, previewUrl: null },
      },
    ])
  })

  test('of several versions of the live record, the newest is live, on every page', async () => {
    for (const n of [1, 2]) {
      await recordVersionRecord(api().db, newVersionRecord(n, { manifest: 'cid-2' }), now)
    }
    const [, first] = await answer('blog/versions?limit=2')
    expect(first).toMatchObject({ versions: [{}, { id: versionKeyOf(2), state: 'live' }] })
    const { cursor } = first as { cursor: string }
    const [, second] = await answer(`blog/versions?limit=1&cursor=${cursor}`)
    expect(second).toMatchObject({ versions: [{ id: versionKeyOf(1), state: 'replaced' }] })
  })

  test('is read page by page', async () => {
    for (const n of [1, 2, 3]) await recordVersionRecord(api().db, newVersionRecord(n), now)
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const [, body] = await answer(`blog/versions?limit=2${cursor && `&cursor=${cursor}`}`)
      const page = body as { versions: { id: string }[]; cursor: string | null }
      ids.push(...page.versions.map(({ id }) => id))
      cursor = page.cursor
    }
    expect(new Set(ids).size).toBe(5)
    expect(ids.slice(2)).toEqual([3, 2, 1].map(versionKeyOf))
    expect(await answer('blog/versions?cursor=x')).toEqual([400, failed(sentences.badCursor)])
  })

  test('is there for a site that has only previews, and for no other', async () => {
    await recordVersionRecord(api().db, newVersionRecord(1, { site: siteOf('shop').name }), now)
    expect((await answer('shop/versions'))[0]).toBe(200)
    for (const path of ['nowhere/versions', '%00/versions']) {
      expect(await answer(path)).toEqual([404, failed('Site not found')])
    }
    expect(await answer('shop/versions', bob)).toEqual([404, failed('Site not found')])
  })
})

describe('what is said about a version', () => {
  const key = versionKeyOf(1)
  const root = { $type: 'place.sitehost.fs#directory', type: 'directory', entries: [] }
  const createdAt = new Date(now).toISOString()
  let repo: FakeRepo
  beforeEach(async () => {
    repo = served(new FakeRepo())
    repo.put(collection, key, { $type: collection, site: 'blog', root, createdAt })
    const record = newVersionRecord(1, { manifest: null, createdAt: now })
    await recordVersionRecord(api().db, record, now)
  })

  async function change(id: string, body: object, did = alice): Promise<[number, unknown]> {
    const headers = { cookie: await api().signedIn(did) }
    const init = { method: 'PATCH', headers, body: JSON.stringify(body) }
    const response = await api().request(`/api/site/blog/versions/${id}`, init)
    return [response.status, await response.json()]
  }

  test('is written to its record, and read again at once', async () => {
    const news = { message: 'Launch', pinned: true, alias: 'pr-12' }
    const [status, row] = await change(key, { ...news, expiresAt: '2026-12-01T01:00:00+01:00' })
    const expiresAt = '2026-12-01T00:00:00.000Z'
    const answered = { id: key, ...news, expiresAt: null }
    expect([status, row]).toEqual([200, expect.objectContaining(answered)])
    expect(repo.find(collection, key)?.value).toMatchObject({ ...news, expiresAt })
    expect(await workRows(api().db, 'version')).toMatchObject([{ did: alice, site: key }])
  })

  test('is answered as it will be read: when a preview ends', async () => {
    const expiresAt = new Date(now + previewMs).toISOString()
    const later = new Date(api().now + previewDaysMax * 86_400_000).toISOString()
    expect(await change(key, { expiresAt: later })).toMatchObject([200, { expiresAt: later }])
    expect(await change(key, { expiresAt: null })).toMatchObject([200, { expiresAt }])
    const pinned = { pinned: true, expiresAt: later }
    expect(await change(key, pinned)).toMatchObject([200, { pinned: true, expiresAt: null }])
  })

  test('refused: a preview that ends too late', async () => {
    const expiresAt = new Date(api().now + previewDaysMax * 86_400_000 + 1).toISOString()
    const error = 'expiresAt: expected a time within 365 days'
    expect(await change(key, { expiresAt })).toEqual([400, failed(error)])
  })

  const refused: [object, string][] = [
    [{ alias: 'x' }, 'alias: expected 3 to 35'],
    [{ message: 'x'.repeat(301) }, 'message: expected at most 300'],
    [{ message: 'a\0b' }, 'none of them NUL'],
    [{ expiresAt: 'soon' }, 'expiresAt: '],
    [{ pinned: 'yes' }, 'pinned: '],
  ]
  for (const [body, error] of refused) {
    test(`refused: ${error}`, async () => {
      const [status, answer] = await change(key, body)
      expect([status, answer]).toEqual([400, failed(expect.stringContaining(error))])
      expect(await workRows(api().db, 'version')).toEqual([])
    })
  }

  test('is written to the record that describes what is live', async () => {
    const live = versionKeyOf(2)
    repo.put(collection, live, { $type: collection, site: 'blog', root, createdAt })
    await recordVersionRecord(api().db, newVersionRecord(2, { manifest: 'cid-2' }), now)
    const news = { message: 'Launch', pinned: true }
    expect(await change('live', news)).toMatchObject([200, { id: live, state: 'live', ...news }])
    expect(repo.find(collection, live)?.value).toMatchObject(news)
  })

  test('is nothing without a record', async () => {
    for (const id of ['live', before]) {
      expect(await change(id, {})).toEqual([409, failed(sentences.noVersionRecord)])
    }
    repo.remove(collection, key)
    expect(await change(key, {})).toEqual([404, failed(sentences.versionNotFound)])
  })

  test('is nobody else’s', async () => {
    expect(await change(key, { pinned: true }, bob)).toEqual([404, failed('Site not found')])
    expect(repo.calls).toEqual([])
  })

  test('was changed by another program meanwhile', async () => {
    const theirs = { $type: collection, site: 'blog', root, createdAt, message: 'theirs' }
    repo.before.set('putRecord', () => repo.put(collection, key, theirs))
    expect(await change(key, { pinned: true })).toEqual([409, failed(sentences.changedMeanwhile)])
  })
})

describe('restoring', () => {
  const key = versionKeyOf(1)

  async function restore(id: string, body?: object, did = alice): Promise<[number, unknown]> {
    const headers = { cookie: await api().signedIn(did) }
    const init = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await api().request(`/api/site/blog/versions/${id}/restore`, init)
    return [response.status, await response.json()]
  }
  const keep = (facts: Partial<NewVersionRecord> = {}) =>
    recordVersionRecord(api().db, newVersionRecord(1, facts), now)

  test('is a job, which survives a restart', async () => {
    await keep()
    const [status, answer] = await restore(key, { settings: true })
    const { jobId } = answer as { jobId: string }
    expect([status, answer]).toEqual([200, { success: true, jobId }])
    const job = await findJob(api().db, jobId)
    expect(JSON.parse(job?.plan ?? '')).toMatchObject({ restore: { key, settings: true } })
    expect(await api().spooled()).toEqual([jobId])
    expect(await restore(key)).toEqual([409, failed(sentences.publishedAlready)])
    expect(await api().spooled()).toEqual([jobId])
  })

  test('without a body leaves the settings as they are', async () => {
    await keep()
    const [, answer] = await restore(key)
    const job = await findJob(api().db, (answer as { jobId: string }).jobId)
    expect(JSON.parse(job?.plan ?? '')).toMatchObject({ restore: { settings: false } })
  })

  test('of a state by another program names that, while its files are known', async () => {
    const [, answer] = await restore(before)
    const { jobId } = answer as { jobId: string }
    const stateId = before.slice('other-'.length)
    const job = await findJob(api().db, jobId)
    expect(JSON.parse(job?.plan ?? '')).toMatchObject({ restore: { stateId, settings: false } })
    await finishJob(api().db, jobId, { status: 'failed', error: 'x' }, now)
    await withdrawReplaced(api().db, site)
    expect(await restore(before)).toEqual([410, failed(sentences.filesNotKept)])
  })

  test('of a version that was refused or has expired', async () => {
    await keep({ label: null, snapshot: null, filesDigest: null })
    expect(await restore(key)).toEqual([409, failed(sentences.versionRefused)])
    await keep({ snapshot: null, rev: '2' })
    expect(await restore(key)).toEqual([410, failed(sentences.filesNotKept)])
    expect(await restore('x')).toEqual([404, failed(sentences.versionNotFound)])
    expect(await api().spooled()).toEqual([])
  })

  test('of a site that is taken down, or of another account', async () => {
    await keep()
    expect(await restore(key, {}, bob)).toEqual([404, failed('Site not found')])
    const takedown = { status: 451, reason: 'phishing', actor: 'ruth', at: now } as const
    await putTakedown(api().db, { did: alice, site: site.name, ...takedown })
    expect((await restore(key))[0]).toBe(403)
  })
})

describe('forgetting', () => {
  const key = versionKeyOf(1)
  let repo: FakeRepo
  beforeEach(async () => {
    repo = served(new FakeRepo())
    repo.put('place.sitehost.fs', 'blog', {})
    repo.put(collection, key, { site: 'blog' })
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
    const records = [`at://${alice}/${collection}/${key}`]
    expect(await forget(key)).toEqual([
      200,
      { success: true, removed: { records, blobs: 2, bytes } },
    ])
    expect(repo.keys(collection)).toEqual([])
    expect(await forget(key)).toEqual([404, failed(sentences.versionNotFound)])
    expect(await forget(before)).toEqual([404, failed(sentences.versionNotFound)])
    const [hash] = files.values().map(({ hash }) => hash)
    expect(await api().blobs.has(hash ?? '')).toBe(false)
    const events = api().logged.map(({ message }) => message)
    expect(events).toEqual(['version forgotten'])
  })

  /** Calls this when the account's server has deleted records, before its answer arrives. */
  function beforeAnswer(meanwhile: () => Promise<Response | undefined>): void {
    api().network.oauth.session = async (did) => {
      const handle = async (path: string, init: RequestInit) => {
        const response = await answerXrpc(repo, path, init)
        return (path.includes('applyWrites') && (await meanwhile())) || response
      }
      return { did, handle } as unknown as Awaited<ReturnType<OAuth['session']>>
    }
  }
  const ingestRemoves = () => removeVersionRecord(api().db, { did: alice, key }, '9', now)

  test('a version that ingest has seen go before the answer', async () => {
    beforeAnswer(async () => {
      await ingestRemoves()
      return undefined
    })
    const removed = { records: [`at://${alice}/${collection}/${key}`], blobs: 2 }
    expect(await forget(key)).toMatchObject([200, { removed }])
    expect(await forget(before)).toEqual([404, failed(sentences.versionNotFound)])
  })

  test('again, after an answer that did not arrive', async () => {
    beforeAnswer(async () => {
      await ingestRemoves()
      return Response.json({ error: 'Lost' }, { status: 400 })
    })
    expect((await forget(key))[0]).not.toBe(200)
    expect(await forget(key)).toMatchObject([200, { removed: { records: [], blobs: 2 } }])
    expect(await forget(key)).toEqual([404, failed(sentences.versionNotFound)])
  })

  test('does not wait for an account’s server that another request waits for', async () => {
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    beforeAnswer(async () => {
      asked.resolve()
      await released.promise
      return undefined
    })
    const waiting = forget(key)
    await asked.promise
    expect((await forget(before))[0]).toBe(200)
    released.resolve()
    expect((await waiting)[0]).toBe(200)
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

  test('an older version of the live record', async () => {
    for (const n of [2, 3]) {
      await recordVersionRecord(api().db, newVersionRecord(n, { manifest: 'cid-2' }), now)
    }
    expect(await forget(versionKeyOf(3))).toEqual([409, failed(sentences.versionIsLive)])
    expect((await forget(versionKeyOf(2)))[0]).toBe(200)
    expect(await answer('blog/versions/live/files')).toMatchObject([200, {}])
  })

  describe('previews by their alias', () => {
    const asked = async (by: HeadersInit, path = 'blog/previews/pr-12') => {
      const init = { method: 'DELETE', headers: by }
      const response = await api().request(`/api/site/${path}`, init)
      return [response.status, await response.json()] as const
    }
    const bearer = async (scope: string, site = 'blog') => {
      const headers = { cookie: await api().signedIn(alice) }
      const init = { method: 'POST', headers, body: JSON.stringify({ name: 'ci', scope }) }
      const { secret } = (await (await api().request(`/api/site/${site}/tokens`, init)).json()) as {
        secret: string
      }
      return { authorization: `Bearer ${secret}` }
    }
    const none = [200, { success: true, removed: { records: [], blobs: 0, bytes: 0 } }]
    beforeEach(async () => {
      for (const [n, facts] of [
        [2, { alias: 'pr-12', manifest: null }],
        [3, { alias: 'pr-12', manifest: null }],
        [4, { alias: 'pr-13', manifest: null }],
        [5, { alias: 'pr-12', manifest: 'cid-1' }],
      ] as const) {
        repo.put(collection, versionKeyOf(n), { site: 'blog', ...facts })
        await recordVersionRecord(api().db, newVersionRecord(n, facts), now)
      }
    })
    const kept = [1, 4, 5].map(versionKeyOf)

    test('are all forgotten, for the owner and a token of previews; what was live since is not', async () => {
      const by = { cookie: await api().signedIn(alice) }
      const [status, body] = await asked(by)
      const records = [3, 2].map((n) => `at://${alice}/${collection}/${versionKeyOf(n)}`)
      expect([status, body]).toMatchObject([200, { success: true, removed: { records } }])
      expect(repo.keys(collection).toSorted()).toEqual(kept)
      expect<unknown>(await asked(await bearer('preview'))).toEqual(none)
      expect<unknown>(await asked(await bearer('deploy'), 'blog/previews/pr-13')).toMatchObject([
        200,
        { removed: { records: [expect.stringContaining(versionKeyOf(4))] } },
      ])
    })

    test('not by a token of another site, and not those of another account', async () => {
      const refused = [403, { error: sentences.tokenOfOtherSite }]
      expect<unknown>(await asked(await bearer('deploy', 'other'))).toEqual(refused)
      expect<unknown>(await asked({ cookie: await api().signedIn(bob) })).toEqual(none)
      expect<unknown>(await asked(await bearer('preview'), 'blog/versions/live')).toEqual([
        403,
        failed(sentences.tokenElsewhere),
      ])
      expect(repo.keys(collection)).toHaveLength(5)
    })

    test('while the site is being published: later', async () => {
      await createJob(api().db, newJob(), { queuedMax: 5, now: 1 })
      const refused = [409, { error: sentences.beingPublished }]
      expect<unknown>(await asked(await bearer('preview'))).toEqual(refused)
    })
  })

  test('a site that is being published: later', async () => {
    await createJob(api().db, newJob(), { queuedMax: 5, now: 1 })
    expect(await forget(key)).toEqual([409, failed(sentences.beingPublished)])
  })

  test('another account’s: as one that does not exist', async () => {
    expect(await forget(key, bob)).toEqual([404, failed('Site not found')])
    await publish('1', {}, null, siteOf('blog', bob))
    expect(await forget(key, bob)).toEqual([404, failed(sentences.versionNotFound)])
    expect(repo.keys(collection)).toEqual([key])
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
