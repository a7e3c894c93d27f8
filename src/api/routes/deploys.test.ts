import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { openDeploysMax } from '#api/contract/limits.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import { recoverJobs } from '#publish/jobs/jobs.ts'
import { noPreviewScopeSentence, overPreviewQuotaSentence } from '#publish/new-version.ts'
import { deployOpenMs, overAccountBytes, previewMs, versionRecordsMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { rememberBlob } from '#store/blobs/blobs.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob, findJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { mebibyte, someCid, testApi } from '#tests/support/api.ts'
import {
  alice,
  bob,
  nameOf,
  newJob,
  newVersion,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { answerXrpc } from '#tests/support/servers/answer-xrpc.ts'
import { FakeRepo } from '#tests/support/servers/fake-repo.ts'
import { hollowGzip } from '#tests/support/servers/hollow-gzip.ts'

const api = testApi()
const versionType = 'place.sitehost.version'

const sha256 = (content: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(content).digest('hex')
const declared = (path: string, content: string | Uint8Array) => ({
  path,
  sha256: sha256(content),
  size: Buffer.byteLength(content),
})

async function send(
  method: string,
  path: string,
  body: BodyInit | null = null,
  { did = alice, headers = {} }: { did?: typeof alice; headers?: Record<string, string> } = {},
): Promise<[number, unknown]> {
  const cookie = await api().signedIn(did)
  const init = { method, body, headers: { cookie, ...headers } }
  const response = await api().request(path, init)
  const text = await response.text()
  return [response.status, text === '' ? null : JSON.parse(text)]
}

const begin = (body: object, did = alice, site = 'blog') =>
  send('POST', `/api/site/${site}/deploys`, JSON.stringify(body), { did })
const put = (id: string, content: string | Uint8Array, sent: BodyInit = content as BodyInit) =>
  send('PUT', `/api/deploys/${id}/files/${sha256(content)}`, sent)
const read = (id: string, did = alice) => send('GET', `/api/deploys/${id}`, null, { did })
const commit = (id: string, did = alice) => send('POST', `/api/deploys/${id}/commit`, null, { did })
const drop = (id: string, did = alice) => send('DELETE', `/api/deploys/${id}`, null, { did })

/** A deploy of these files, of which nothing has arrived. */
async function opened(...contents: (string | Uint8Array)[]): Promise<string> {
  const files = contents.map((content, i) => declared(`${i}.html`, content))
  const [status, body] = await begin({ files })
  expect(status).toBe(200)
  return (body as { deployId: string }).deployId
}

const bytesInSpool = async (id: string): Promise<number> =>
  await (await api().spool.open(id)).bytesOnDisk()

describe('a deploy', () => {
  test('says what is missing, takes it, and becomes a job', async () => {
    const files = [declared('index.html', 'one'), declared('a/b.css', 'two')]
    const [status, begun] = await begin({ files: [...files, declared('copy.html', 'one')] })
    const { deployId, missing } = begun as { deployId: string; missing: string[] }
    expect([status, begun]).toEqual([
      200,
      { deployId, missing, expiresAt: new Date(api().now + deployOpenMs).toISOString() },
    ])
    expect(missing.toSorted()).toEqual(files.map(({ sha256 }) => sha256).toSorted())

    expect(await put(deployId, 'one')).toEqual([204, null])
    expect(await put(deployId, 'one')).toEqual([204, null])
    expect(await read(deployId)).toEqual([
      200,
      {
        ...{ deployId, rkey: 'blog', state: 'open', missing: [sha256('two')], jobId: null },
        ...{ expiresAt: expect.any(String), result: null, error: null },
      },
    ])
    expect(await commit(deployId)).toEqual([
      409,
      { error: sentences.filesMissing, missing: [sha256('two')] },
    ])
    expect(await put(deployId, 'two')).toEqual([204, null])
    const committed = { success: true, jobId: deployId }
    expect(await commit(deployId)).toEqual([200, committed])
    expect(await commit(deployId)).toEqual([200, committed])
    expect((await read(deployId))[1]).toMatchObject({ state: 'publishing', jobId: deployId })

    const job = await findJob(api().db, deployId)
    expect(job).toMatchObject({ did: alice, site: 'blog', status: 'pending', expectedCid: null })
    const plan = JSON.parse(job?.plan ?? '')
    expect(plan).toMatchObject({ changes: null, skippedFiles: [] })
    const contents: Record<string, string> = {}
    for (const file of plan.files) {
      contents[file.path] = await (await api().spool.open(deployId)).blob(file).text()
    }
    expect(contents).toEqual({ 'index.html': 'one', 'a/b.css': 'two', 'copy.html': 'one' })

    await finishJob(api().db, deployId, { status: 'failed', error: 'no' }, api().now)
    expect((await read(deployId))[1]).toMatchObject({ state: 'failed', error: 'no', result: null })
  })

  test('leaves out what uploads leave out', async () => {
    const files = [declared('index.html', 'one'), declared('.env', 'two')]
    const [, begun] = await begin({ files })
    const { deployId, missing } = begun as { deployId: string; missing: string[] }
    expect(missing).toEqual([sha256('one')])
    await put(deployId, 'one')
    await commit(deployId)
    expect(JSON.parse((await findJob(api().db, deployId))?.plan ?? '')).toMatchObject({
      files: [{ path: 'index.html' }],
      skippedFiles: [{ name: '.env', reason: 'may hold secrets' }],
    })
  })

  test('keeps paths as they are, also in a folder that all of them share', async () => {
    const [, begun] = await begin({ files: [declared('site/index.html', 'one')] })
    const { deployId } = begun as { deployId: string }
    await put(deployId, 'one')
    await commit(deployId)
    expect(JSON.parse((await findJob(api().db, deployId))?.plan ?? '')).toMatchObject({
      files: [{ path: 'site/index.html' }],
    })
  })

  test('may hold a sitehost.json, which sets settings and is not published', async () => {
    const text = '{ "settings": { "cleanUrls": true } }'
    const files = [declared('index.html', 'one'), declared('sitehost.json', text)]
    const [, begun] = await begin({ files })
    const { deployId, missing } = begun as { deployId: string; missing: string[] }
    expect(missing).toHaveLength(2)
    for (const content of ['one', text]) await put(deployId, content)
    expect((await commit(deployId))[0]).toBe(200)
    expect(JSON.parse((await findJob(api().db, deployId))?.plan ?? '')).toMatchObject({
      files: [{ path: 'index.html' }],
      settings: { cleanUrls: true },
    })
  })

  test('says what its version is made of, and settings before those of its sitehost.json', async () => {
    const text = '{ "settings": { "cleanUrls": true, "indexFiles": ["a.html"] } }'
    const files = [declared('index.html', 'one'), declared('sitehost.json', text)]
    const described = { message: 'First', source: { commit: 'abc', url: 'https://x.test/1' } }
    const settings = { indexFiles: ['b.html'] }
    const [, begun] = await begin({ files, settings, ...described })
    const { deployId } = begun as { deployId: string }
    for (const content of ['one', text]) await put(deployId, content)
    expect((await commit(deployId))[0]).toBe(200)
    expect(JSON.parse((await findJob(api().db, deployId))?.plan ?? '')).toMatchObject({
      settings: { cleanUrls: true, indexFiles: ['b.html'] },
      version: { key: expect.any(String), ...described },
    })
  })

  test('may be a preview, which ends two weeks after its commit, or when it says', async () => {
    const files = [declared('index.html', 'one')]
    const later = new Date(api().now + 60_000).toISOString()
    const previews = [
      [{}, { expiresAt: new Date(api().now + previewMs).toISOString() }],
      [
        { alias: 'pr-12', expiresAt: later.replace('Z', '+00:00') },
        { alias: 'pr-12', expiresAt: later },
      ],
    ]
    for (const [n, [preview, planned]] of previews.entries()) {
      const [, begun] = await begin({ files, preview }, alice, `site-${n}`)
      const { deployId } = begun as { deployId: string }
      await put(deployId, 'one')
      expect((await commit(deployId))[0]).toBe(200)
      const plan = JSON.parse((await findJob(api().db, deployId))?.plan ?? '')
      expect(plan.version.preview).toEqual(planned)
    }
  })

  test('whose preview would be over is not committed', async () => {
    const expiresAt = new Date(api().now + 60_000).toISOString()
    const files = [declared('index.html', 'one')]
    const [, begun] = await begin({ files, preview: { expiresAt } })
    const { deployId } = begun as { deployId: string }
    await put(deployId, 'one')
    api().now += 60_000
    expect(await commit(deployId)).toEqual([
      400,
      { error: 'preview.expiresAt: expected a time within 365 days' },
    ])
    expect((await read(deployId))[1]).toMatchObject({ state: 'open' })
  })

  test('for a preview needs the right to write version records', async () => {
    api().network.oauth.scopeOf = async () => new Set()
    const files = [declared('index.html', 'one')]
    expect(await begin({ files, preview: {} })).toEqual([403, { error: noPreviewScopeSentence }])
    expect((await begin({ files }))[0]).toBe(200)
  })

  test('for a preview needs room among the versions of its site', async () => {
    const repo = new FakeRepo()
    const handle = (path: string, init: RequestInit) => answerXrpc(repo, path, init)
    api().network.oauth.session = async (did) => ({ did, handle }) as never
    const root = { type: 'directory', entries: [] }
    const createdAt = new Date(api().now).toISOString()
    const keep = (n: number, facts: object) => {
      const record = { $type: versionType, site: 'blog', root, createdAt, ...facts }
      repo.put(versionType, versionKeyOf(n), record)
    }
    for (let n = 1; n <= versionRecordsMax; n++) keep(n, { pinned: true })
    const files = [declared('index.html', 'one')]
    const error = overPreviewQuotaSentence(versionRecordsMax)
    expect(await begin({ files, preview: {} })).toEqual([409, { error }])
    expect((await begin({ files }))[0]).toBe(200)
    // It has expired, so it is deleted in the same commit.
    keep(1, { expiresAt: createdAt })
    expect((await begin({ files, preview: {} }))[0]).toBe(200)
  })

  test('is not committed with a sitehost.json that cannot be read', async () => {
    const text = '{\n  "site": 1\n}'
    const files = [declared('index.html', 'one'), declared('sitehost.json', text)]
    const [, begun] = await begin({ files })
    const { deployId } = begun as { deployId: string }
    for (const content of ['one', text]) await put(deployId, content)
    expect(await commit(deployId)).toEqual([
      400,
      { error: 'sitehost.json, line 2, column 11: site: expected a string.' },
    ])
  })

  test('does not say what other accounts have: only its own snapshots count', async () => {
    const { db, network } = api()
    const name = 'index.html'
    const ref = { $type: 'blob', ref: { $link: someCid }, mimeType: 'text/html', size: 3 }
    const entries = [{ name, node: { type: 'file', blob: ref } }]
    network.sites.set(alice, ['blog'])
    network.manifest = {
      ...{ $type: 'place.sitehost.fs', site: 'blog', createdAt: '2026-01-02T03:04:05Z' },
      root: { type: 'directory', entries },
    }
    const hash = sha256('one')
    const sizes = { storedBytes: 3, decodedBytes: 3 }
    const form = { cid: someCid, coding: 'identity', base64: false } as const
    const live = async (did: Did): Promise<void> => {
      await upsertAccount(db, { did }, 1)
      const facts = { site: siteOf('blog', did), label: `s--${did}` }
      await recordVersion(db, newVersion({ ...facts, snapshot: JSON.stringify([hash]) }), 1)
    }
    await rememberBlob(db, { ...form, ...sizes, hash, decodedHash: hash }, 1)
    await live(bob)
    const files = [declared(name, 'one')]
    expect((await begin({ files }))[1]).toMatchObject({ missing: [hash] })
    await live(alice)
    const [, begun] = await begin({ files })
    expect(begun).toMatchObject({ missing: [] })
    expect(await put((begun as { deployId: string }).deployId, 'one')).toEqual([204, null])
  })

  test('changes a site that there is not yet', async () => {
    const files = [declared('index.html', 'one')]
    const [, begun] = await begin({ files, base: 'live', into: 'docs/' })
    const { deployId } = begun as { deployId: string }
    await put(deployId, 'one')
    expect((await commit(deployId))[0]).toBe(200)
    const job = await findJob(api().db, deployId)
    expect(job?.expectedCid).toBe('')
    expect(JSON.parse(job?.plan ?? '')).toMatchObject({ changes: { remove: [], into: 'docs' } })
  })

  test('survives a restart of the service, with what has arrived', async () => {
    const id = await opened('one', 'two')
    await put(id, 'one')
    const { db, spool } = api()
    await recoverJobs({ db, spool, now: () => api().now, log: console } as never)
    expect(await api().spooled()).toEqual([id])
    expect((await read(id))[1]).toMatchObject({ missing: [sha256('two')] })
    expect(await put(id, 'two')).toEqual([204, null])
    expect((await commit(id))[0]).toBe(200)
  })

  test('is one job for all that commit it at once', async () => {
    const id = await opened('one')
    await put(id, 'one')
    const answers = await Promise.all([commit(id), commit(id), commit(id)])
    const committed: [number, unknown] = [200, { success: true, jobId: id }]
    expect(answers).toEqual([committed, committed, committed])
  })

  test('takes no file once its job has ended', async () => {
    const id = await opened('one')
    await put(id, 'one')
    await commit(id)
    await finishJob(api().db, id, { status: 'failed', error: 'no' }, api().now)
    expect(await put(id, 'one')).toEqual([409, { error: sentences.deployCommitted }])
    expect(await commit(id)).toEqual([200, { success: true, jobId: id }])
  })

  test('can be deleted until it is committed', async () => {
    const id = await opened('one')
    await put(id, 'one')
    expect(await drop(id)).toEqual([200, { success: true }])
    expect(await api().spooled()).toEqual([])
    expect((await read(id))[0]).toBe(404)
    const other = await opened('one')
    await put(other, 'one')
    await commit(other)
    expect(await drop(other)).toEqual([409, { error: sentences.deployCommitted }])
  })

  test('is for its owner only, and for nobody after a day', async () => {
    const id = await opened('one')
    for (const ask of [read, commit, drop]) {
      expect(await ask(id, bob)).toEqual([404, { error: literals.deployNotFound }])
      for (const unknown of [crypto.randomUUID(), 'x', '%00']) {
        expect(await ask(unknown)).toEqual([404, { error: literals.deployNotFound }])
      }
    }
    api().now += deployOpenMs - 1
    expect((await read(id))[0]).toBe(200)
    api().now += 1
    for (const ask of [read, commit, drop]) expect((await ask(id))[0]).toBe(404)
  })

  test('goes with its account, files and all', async () => {
    const id = await opened('one')
    await put(id, 'one')
    expect((await send('DELETE', '/api/user'))[0]).toBe(200)
    expect(await api().spooled()).toEqual([])
    expect((await read(id))[0]).toBe(404)
  })
})

describe('what cannot be a deploy is refused:', () => {
  const one = declared('index.html', 'one')
  const mib = (name: string) => ({ path: name, sha256: sha256(name), size: mebibyte })
  const facts: [string, object, number, RegExp][] = [
    ['no list of files', {}, 400, /^files: expected a list/],
    ['no file', { files: [] }, 400, /^Every file of this upload/],
    ['only files that are left out', { files: [declared('.env', 'x')] }, 400, /^Every file/],
    ['a hash that is none', { files: [{ ...one, sha256: 'A' }] }, 400, /^files\.0\.sha256: exp/],
    ['a size that is none', { files: [{ ...one, size: -1 }] }, 400, /^files\.0\.size: expected/],
    ['a bad path', { files: [{ ...one, path: '../x' }] }, 400, /^Bad file path "\.\.\/x"/],
    ['a path twice', { files: [one, one] }, 400, /there twice/],
    [
      'two sizes of one content',
      { files: [one, { ...one, path: 'b', size: 4 }] },
      400,
      /^"b" has the SHA-256 of a file of another size\.$/,
    ],
    [
      'a file that is a folder',
      { files: [one, declared('index.html/x', 'x')] },
      400,
      /both a file and a folder/,
    ],
    [
      'a field that there is not',
      { files: [one], draft: {} },
      400,
      /^body: expected only the fields/,
    ],
    ['another base', { files: [one], base: 'dead' }, 400, /^base: expected/],
    [
      'a version that is not there',
      { files: [one], base: '3mkq2vtpdbk2c' },
      404,
      /^This site has no such version\.$/,
    ],
    ['a bad alias', { files: [one], preview: { alias: 'PR' } }, 400, /^preview\.alias: expected 3/],
    [
      'a field of a preview that there is not',
      { files: [one], preview: { name: 'x' } },
      400,
      /^preview: expected only the fields alias and expiresAt$/,
    ],
    [
      'a preview without a time zone',
      { files: [one], preview: { expiresAt: '2030-01-01T00:00:00' } },
      400,
      /^preview\.expiresAt: expected a time/,
    ],
    [
      'a preview that has expired',
      { files: [one], preview: { expiresAt: '2020-01-01T00:00:00Z' } },
      400,
      /^preview\.expiresAt: expected a time within 365 days$/,
    ],
    ['removing without a base', { files: [one], remove: ['x'] }, 400, /need a base/],
    ['a folder without a base', { files: [one], into: 'x' }, 400, /need a base/],
    [
      'removing what is not there',
      { files: [one], base: 'live', remove: ['x'] },
      400,
      /^remove: there is no "x"\.$/,
    ],
    [
      'a long message',
      { files: [one], message: 'x'.repeat(301) },
      400,
      /^message: expected at most/,
    ],
    [
      'a script as a source',
      { files: [one], source: { url: 'javascript:x' } },
      400,
      /^source\.url/,
    ],
    ...['.git', 'docs/.ENV.local', 'node_modules/x/'].map(
      (into): [string, object, number, RegExp] => [
        `a folder whose files are left out: ${into}`,
        { files: [one], base: 'live', into },
        400,
        /^into: files in ".*" are left out of sites: /,
      ],
    ),
    ['settings that are none', { files: [one], settings: 1 }, 400, /^settings: expected/],
    [
      'a message with NUL',
      { files: [one], message: 'a\0b' },
      400,
      /^message: expected at most 300 characters, none of them NUL$/,
    ],
    [
      'bad settings',
      { files: [one], settings: { indexFiles: ['a/b'] } },
      400,
      /^settings\.indexFiles\.0: expected/,
    ],
    ['a bad folder', { files: [one], base: 'live', into: '/' }, 400, /^into: bad path "\/"/],
    [
      'a file too large',
      { files: [{ ...one, size: mebibyte + 1 }] },
      413,
      /^"index\.html" is larger than 1 MiB\.$/,
    ],
    ['a site too large', { files: [mib('a'), mib('b'), one] }, 413, /larger than 2 MiB/],
  ]
  test.each(facts)('%s', async (_, body, expected, message) => {
    const [status, answer] = await begin(body)
    expect([status, answer]).toEqual([expected, { error: expect.stringMatching(message) }])
    expect(await api().db.selectFrom('deploys').selectAll().execute()).toEqual([])
  })

  test('a bad name', async () => {
    expect((await begin({ files: [one] }, alice, 'a%20b'))[0]).toBe(400)
  })

  test('a site that is taken down, at the beginning and at the commit', async () => {
    const id = await opened('one')
    await put(id, 'one')
    const takedown = { status: 451, reason: 'phishing', actor: 'ruth', at: 1 } as const
    await putTakedown(api().db, { did: alice, site: nameOf('blog'), ...takedown })
    expect((await begin({ files: [one] }))[0]).toBe(403)
    expect((await commit(id))[0]).toBe(403)
  })

  test('more than the account’s sites may take', async () => {
    await upsertAccount(api().db, { did: alice }, 1)
    const other = newVersion({ site: siteOf('other'), bytes: 4.5 * mebibyte })
    await recordVersion(api().db, other, 1)
    expect(await begin({ files: [mib('a')] })).toEqual([
      413,
      { error: overAccountBytes(5 * mebibyte) },
    ])
  })

  test('more than the account may have open', async () => {
    for (let n = 0; n < openDeploysMax; n++) await opened('one')
    expect(await begin({ files: [one] })).toEqual([429, { error: sentences.deploysOpen }])
    expect((await begin({ files: [one] }, bob))[0]).toBe(200)
  })
})

describe('a file', () => {
  const page = '<p>hello</p>'.repeat(1000)
  const damaged = 'What arrived is not gzip, or is damaged.'
  const other = 'What arrived is not the file that the deploy says: its SHA-256 or size differs.'
  const gzipped = { headers: { 'content-encoding': 'gzip' } }
  const putGzip = (id: string, content: string | Uint8Array, sent: Uint8Array) =>
    send('PUT', `/api/deploys/${id}/files/${sha256(content)}`, sent as BodyInit, gzipped)

  test('may be empty', async () => {
    const id = await opened('')
    expect(await put(id, '')).toEqual([204, null])
    expect((await commit(id))[0]).toBe(200)
  })

  test('may be compressed on its way', async () => {
    const id = await opened(page)
    expect(await putGzip(id, page, gzipSync(page))).toEqual([204, null])
    expect(await bytesInSpool(id)).toBe(page.length)
  })

  test('has to be what the deploy says; nothing of another one is kept', async () => {
    const id = await opened(page)
    for (const sent of [`${page.slice(1)}x`, page.slice(1), `${page}x`, '']) {
      expect(await put(id, page, sent)).toEqual([400, { error: other }])
    }
    expect(await putGzip(id, page, Buffer.from(page))).toEqual([400, { error: damaged }])
    expect(await putGzip(id, page, gzipSync(page).subarray(0, 40))).toEqual([
      400,
      { error: damaged },
    ])
    expect(await bytesInSpool(id)).toBe(0)
    expect((await read(id))[1]).toMatchObject({ missing: [sha256(page)] })
    expect(await put(id, page)).toEqual([204, null])
  })

  test('is not decoded beyond its size', async () => {
    const id = await opened(page)
    const bomb = gzipSync(new Uint8Array(64 * mebibyte))
    expect(await putGzip(id, page, bomb)).toEqual([400, { error: other }])
    expect(await putGzip(id, page, hollowGzip(page, mebibyte))).toEqual([400, { error: other }])
    expect(await bytesInSpool(id)).toBe(0)
  })

  test('is refused in other codings, for other deploys, and once the deploy is committed', async () => {
    const id = await opened(page, 'two')
    const path = `/api/deploys/${id}/files/${sha256(page)}`
    const brotli = { headers: { 'content-encoding': 'br' } }
    expect(await send('PUT', path, page, brotli)).toEqual([415, { error: sentences.unknownCoding }])
    expect(await send('PUT', path, page, { did: bob })).toEqual([
      404,
      { error: literals.deployNotFound },
    ])
    expect(await put(id, 'three')).toEqual([404, { error: sentences.notOfDeploy }])
    expect(await send('PUT', `/api/deploys/${id}/files/x`, page)).toEqual([
      404,
      { error: sentences.notOfDeploy },
    ])
    for (const content of [page, 'two']) await put(id, content)
    await commit(id)
    expect(await put(id, page)).toEqual([204, null])
  })

  test('arrives with seven others at a time', async () => {
    const contents = Array.from({ length: 9 }, (_, i) => `content ${i}`)
    const id = await opened(...contents)
    const bodies = contents.map(() => Promise.withResolvers<void>())
    const started: Promise<void>[] = []
    const sending = contents.slice(0, 8).map((content, i) => {
      const begun = Promise.withResolvers<void>()
      started.push(begun.promise)
      const body = new ReadableStream({
        async pull(controller) {
          begun.resolve()
          await bodies[i]?.promise
          controller.enqueue(Buffer.from(content))
          controller.close()
        },
      })
      return put(id, content, body)
    })
    await Promise.all(started)
    const last = contents[8] ?? ''
    expect(await put(id, last)).toEqual([429, { error: sentences.deployFilesArriving }])
    for (const { resolve } of bodies) resolve()
    expect(await Promise.all(sending)).toEqual(sending.map(() => [204, null]))
    expect(await put(id, last)).toEqual([204, null])
  })
})

describe('a commit', () => {
  test('waits while the site is being published', async () => {
    const id = await opened('one')
    await put(id, 'one')
    await createJob(api().db, newJob({ id: 'other', site: nameOf('blog') }), {
      ...{ queuedMax: 5, now: 1 },
    })
    expect(await commit(id)).toEqual([409, { error: sentences.publishedAlready }])
    await finishJob(api().db, 'other', { status: 'failed', error: 'no' }, 2)
    expect((await commit(id))[0]).toBe(200)
  })
})
