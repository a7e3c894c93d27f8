import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { tarOf, zipOf } from '#tests/support/hostile/archives.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import type { AppClient, UploadFile } from '../devnet/app-client.ts'
import { createSession, getRecord } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let alice: AppClient
beforeAll(async () => {
  world = await startWorld()
  alice = await world.signedIn('alice.test')
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

describe('websites that nobody here wrote arrive whole', () => {
  for (const name of ['swagger-ui-dist', 'reveal.js']) {
    test(name, async () => {
      const files = packageFiles(name)
      const url = await published(name, files)
      await expectServed(url, files)
    }, 120_000)
  }
})

test('names and sizes of every kind arrive whole', async () => {
  const big = new Uint8Array(50 * 1024 * 1024)
  for (let i = 0; i < big.length; i += 65_536) crypto.getRandomValues(big.subarray(i, i + 65_536))
  const files = Object.entries({
    'index.html': '<h1>names</h1>',
    'unicode/日本語 ページ.html': '<p>日本語</p>',
    'unicode/emoji 🌱.txt': 'leaf',
    'with space/a b.txt': 'space',
    'percent/100%.txt': 'percent',
    'percent/%2e%2e%2fx.txt': 'not dots',
    'hash/c#.txt': 'hash',
    'question/why?.txt': 'question',
    'plus/a+b&c=d;e,f.txt': 'plus',
    "quote/it's.txt": 'quote',
    'empty/nothing.txt': '',
    'empty/nothing.bin': '',
    'no-extension': 'plain',
    'big/50-mb.bin': big,
  }).map(([path, body]): UploadFile => ({ path, body: new Blob([body]) }))
  const url = await published('names', files)
  await expectServed(url, files)
}, 120_000)

test('the record names its files as the contract has it: interface.md §2', async () => {
  const account = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
  const page = Buffer.from('page '.repeat(1000))
  // The server takes it for gzip when it looks at its beginning.
  const archive = gzipSync(crypto.getRandomValues(new Uint8Array(100)))
  const contents = { 'index.html': page, 'archive.gz': archive, 'tiny.txt': Buffer.from('x') }
  const files = Object.entries(contents).map(
    ([path, body]): UploadFile => ({ path, body: new Blob([body]) }),
  )
  await published('record', files)

  const record = await getRecord(account, 'place.sitehost.fs', 'record')
  const file = (name: string, sent: object, mimeType: string, blobType: string) => {
    const ref = { $link: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/) }
    const blob = { $type: 'blob', ref, mimeType: blobType, size: expect.any(Number) }
    const $type = 'place.sitehost.fs#file'
    return { name, node: { $type, type: 'file', blob, mimeType, ...sent } }
  }
  const opaque = 'application/octet-stream'
  const compressed = { encoding: 'gzip', base64: true }
  expect<unknown>(record).toEqual({
    $type: 'place.sitehost.fs',
    site: 'record',
    root: {
      $type: 'place.sitehost.fs#directory',
      type: 'directory',
      entries: [
        file('archive.gz', {}, 'application/gzip', 'application/gzip'),
        file('index.html', compressed, 'text/html', opaque),
        file('tiny.txt', {}, 'text/plain', opaque),
      ],
    },
    fileCount: 3,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })

  // What another host would make of it.
  const { entries } = (record as { root: { entries: { name: string; node: StoredFile }[] } }).root
  for (const { name, node } of entries) {
    const query = new URLSearchParams({ did: account.did, cid: node.blob.ref.$link })
    const answer = await fetch(`${account.pds}/xrpc/com.atproto.sync.getBlob?${query}`)
    const stored = Buffer.from(await answer.arrayBuffer())
    expect(stored.byteLength).toBe(node.blob.size)
    const bytes = node.base64 ? Buffer.from(stored.toString('latin1'), 'base64') : stored
    const content = node.encoding === 'gzip' ? gunzipSync(bytes) : bytes
    expect(content.equals(contents[name as keyof typeof contents])).toBe(true)
  }
})

interface StoredFile {
  readonly blob: { readonly ref: { readonly $link: string }; readonly size: number }
  readonly encoding?: string
  readonly base64?: boolean
}

describe('an archive is unpacked, its ignore file obeyed', () => {
  test.each(['site.zip', 'site.tar', 'site.tar.gz'])(
    '%s',
    async (name) => {
      const files = {
        'my-site/.sitehostignore': '*.draft\n',
        'my-site/index.html': '<h1>from an archive</h1>',
        'my-site/page.draft': 'not yet',
        'my-site/.env': 'SECRET=1',
        'my-site/img/a b.svg': '<svg/>',
      }
      const form = new FormData()
      form.append('siteName', 'archived')
      form.append('archive', new Blob([archiveOf(name, files)]), name)
      const answer = await alice.fetch('/sitehost/upload-files', { method: 'POST', body: form })
      const { jobId } = (await answer.json()) as { jobId: string }
      const { result, error } = await alice.watch(jobId)
      expect(error).toBeNull()
      expect(result).toMatchObject({ fileCount: 2 })
      const skipped = (result?.['skippedFiles'] ?? []) as { name: string }[]
      expect(skipped.map(({ name: left }) => left.replace('my-site/', '')).sort()).toEqual([
        '.env',
        'page.draft',
      ])
      const url = String(result?.['url'])
      expect(await (await fetch(url)).text()).toBe('<h1>from an archive</h1>')
      expect(await (await fetch(new URL('img/a%20b.svg', url))).text()).toBe('<svg/>')
      expect((await fetch(new URL('.sitehostignore', url))).status).toBe(404)
    },
    120_000,
  )
})

test('assets of earlier versions stay for open pages, until a version withdraws them', async () => {
  const asset = (name: string) => textFile(`assets/${name}`, name)
  const url = await published('assets', [textFile('index.html', '1'), asset('a-3kF9x2Qz.js')])
  await published('assets', [textFile('index.html', '2'), asset('b-7Lm2Wp0Y.js')])
  const statusOf = async (path: string) => (await fetch(new URL(path, url))).status
  expect(await statusOf('assets/a-3kF9x2Qz.js')).toBe(200)

  const form = new FormData()
  form.append('siteName', 'assets')
  form.append('retain', 'false')
  form.append('files', new Blob(['3']), 'index.html')
  const answer = await alice.fetch('/sitehost/upload-files', { method: 'POST', body: form })
  const { jobId } = (await answer.json()) as { jobId: string }
  expect((await alice.watch(jobId)).error).toBeNull()
  await eventually(async () => {
    expect(await statusOf('assets/a-3kF9x2Qz.js')).toBe(404)
    expect(await statusOf('assets/b-7Lm2Wp0Y.js')).toBe(404)
  })
  expect(await (await fetch(url)).text()).toBe('3')
}, 120_000)

async function published(siteName: string, files: readonly UploadFile[]): Promise<string> {
  const result = await alice.publish(siteName, files)
  expect(result).toMatchObject({ success: true, siteName, fileCount: files.length })
  return String(result['url'])
}

function archiveOf(name: string, files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(files).map(([path, content]) => ({ name: path, content }))
  if (name.endsWith('.zip')) return new Uint8Array(zipOf(entries))
  const tar = tarOf(entries)
  return new Uint8Array(name.endsWith('.gz') ? gzipSync(tar) : tar)
}

function packageFiles(name: string): UploadFile[] {
  const dir = dirname(require.resolve(`${name}/package.json`))
  const paths = [...new Bun.Glob('**/*').scanSync({ cwd: dir, onlyFiles: true, dot: true })]
  // The package manager's own files lie there too; nothing that is left out is in these packages.
  return paths.sort().map((path) => ({ path, body: Bun.file(join(dir, path)) }))
}

/** Every file, by its path, compressed and not: bytes and media type. */
async function expectServed(siteUrl: string, files: readonly UploadFile[]): Promise<void> {
  for (const { path, body } of files) {
    const url = new URL(path.split('/').map(encodeURIComponent).join('/'), siteUrl)
    const expected = new Bun.CryptoHasher('sha256').update(await body.arrayBuffer()).digest('hex')
    for (const coding of ['gzip', 'identity']) {
      const response = await fetch(url, { headers: { 'accept-encoding': coding } })
      const actual = new Bun.CryptoHasher('sha256')
        .update(await response.arrayBuffer())
        .digest('hex')
      expect({ path, coding, status: response.status, sha256: actual }).toEqual({
        path,
        coding,
        status: 200,
        sha256: expected,
      })
      expect(response.headers.get('content-type')).toMatch(expectedType(path))
    }
  }
}

/** By every ending that occurs in these sites, with none at all as the first. */
const types: Readonly<Record<string, RegExp>> = {
  '': /^application\/octet-stream$/,
  bin: /^application\/octet-stream$/,
  css: /^text\/css; charset=utf-8$/,
  html: /^text\/html; charset=utf-8$/,
  js: /^text\/javascript; charset=utf-8$/,
  json: /^application\/json; charset=utf-8$/,
  map: /^application\/json; charset=utf-8$/,
  md: /^text\/markdown; charset=utf-8$/,
  mjs: /^text\/javascript; charset=utf-8$/,
  png: /^image\/png$/,
  scss: /^text\/x-scss; charset=utf-8$/,
  ts: /^video\/mp2t$/,
  txt: /^text\/plain; charset=utf-8$/,
  woff: /^font\/woff$/,
}

function expectedType(path: string): RegExp {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const type = types[name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '']
  if (type === undefined) throw new Error(`what is the type of ${path}?`)
  return type
}
