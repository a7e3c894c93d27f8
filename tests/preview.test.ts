import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { etagOf } from '#edge/files/etag.ts'
import type { Coding } from '#site/encoding.ts'
import { type Preview, startPreview } from '#tests/support/processes/preview.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { rawRequest } from '#tests/support/visitors/raw-http.ts'
import { eventually } from './support/eventually.ts'

// The command on a folder, over a real connection.

const page = '<h1>home</h1>'.repeat(200)
const large = 'a line of text\n'.repeat(200_000)

const files = {
  'index.html': page,
  'a.html': 'a',
  'd/index.html': 'd',
  'b.html': 'b',
  'b/index.html': 'b/',
  x: 'x',
  'x.html': 'x.html',
  '[y].html': 'y',
  'empty.txt': '',
  'large.txt': large,
  'assets/app-B1x2Y3z4.js': 'js',
  'sub/404.html': 'sub 404',
  'list/one.txt': 'one',
  _redirects:
    '/old /a.html\n/news/* /d/:splat 302\n/a.html /b.html 301!\n/show /b.html 200\n/gone 410\n/twice /x /y 301\n',
  _headers:
    '/*\n  X-Owner: yes\n  Content-Length: 3\n/b.html\n  Cache-Control: no-cache\n  Set-Cookie: a=b\n',
  '.env': 'SECRET=1',
  '.sitehostignore': '*.psd\n',
  'drawing.psd': 'psd',
}

const html = 'text/html; charset=utf-8'

/** Of what is stored as these bytes. */
function tagOf(
  bytes: Uint8Array,
  { coding = 'identity', sent = coding, contentType = html }: Partial<SentFacts> = {},
): string {
  const digest = new Bun.CryptoHasher('sha256').update(bytes).digest()
  const file = { cid: rawCid(digest), hash: digest.toString('hex'), coding }
  return etagOf({ file, coding: sent, contentType })
}

interface SentFacts {
  readonly coding: Coding
  readonly sent: Coding
  readonly contentType: string
}

let preview: Preview
beforeAll(async () => {
  preview = await startPreview(files)
})
afterAll(() => preview[Symbol.asyncDispose]())

describe('addresses, as a table of status and Location or body', () => {
  const rows: [string, number, string][] = [
    ['/', 200, page],
    ['/index.html', 200, page],
    ['/index', 404, ''],
    ['/d', 308, '/d/'],
    ['/d/', 200, 'd'],
    ['/d?q=1', 308, '/d/?q=1'],
    ['/b', 308, '/b/'],
    ['/b.html', 200, 'b'],
    ['/x', 200, 'x'],
    ['/x.html', 200, 'x.html'],
    ['/[y]', 404, ''],
    ['/%5By%5D.html', 200, 'y'],
    ['/a%zz', 400, ''],
    ['/a%2Fb', 400, ''],
    [`/${'a'.repeat(4096)}`, 414, ''],
    ['/old', 301, '/a.html'],
    ['/news/today', 302, '/d/today'],
    ['/a.html', 301, '/b.html'],
    ['/show', 200, 'b'],
    ['/gone', 410, ''],
    ['/sub/missing', 404, 'sub 404'],
    ['/list/', 404, ''],
    ['/_redirects', 404, ''],
    ['/_headers', 404, ''],
    ['/.sitehostignore', 404, ''],
    ['/.env', 404, ''],
    ['/drawing.psd', 404, ''],
  ]
  test.each(rows)('%s', async (path, status, expected) => {
    const answer = await preview.visit(path)
    expect(answer.status).toBe(status)
    if (status >= 300 && status < 400) expect(answer.headers.get('location')).toBe(expected)
    else if (expected !== '') expect(await answer.text()).toBe(expected)
  })

  const statusWith = async (...lines: string[]): Promise<number> => {
    const request = ['GET / HTTP/1.1', ...lines, 'Connection: close', '', '']
    return (await rawRequest(preview.port, request.join('\r\n'))).status
  }
  test.each([
    ['localhost', 200],
    ['preview.localhost:8080', 200],
    ['[::1]', 200],
    ['www.example.com', 421],
    ['localhost.example.com', 421],
    ['a_b', 400],
  ])('a Host %s is answered with %d', async (host, status) => {
    expect(await statusWith(`Host: ${host}`)).toBe(status)
  })
  test.each([
    ['cross-site', 'cors', 403],
    ['cross-site', 'no-cors', 403],
    ['cross-site', 'navigate', 200],
    ['same-origin', 'cors', 200],
    ['none', 'navigate', 200],
  ])('a browser that says %s and %s gets %d', async (site, mode, status) => {
    const lines = [`Sec-Fetch-Site: ${site}`, `Sec-Fetch-Mode: ${mode}`]
    expect(await statusWith('Host: localhost', ...lines)).toBe(status)
  })

  test('only reading is answered', async () => {
    expect((await preview.visit('/', {}, 'POST')).status).toBe(405)
    expect((await preview.visit('/', {}, 'OPTIONS')).status).toBe(204)
  })
})

describe('settings', () => {
  let clean: Preview
  beforeAll(async () => {
    const settings = {
      cleanUrls: true,
      directoryListing: true,
      headers: [{ name: 'X-S', value: 's' }],
    }
    clean = await startPreview(files, { settings })
  })
  afterAll(() => clean[Symbol.asyncDispose]())

  test.each<[string, number, string | null]>([
    ['/index.html', 308, '/'],
    ['/d/index', 308, '/d/'],
    ['/b', 200, null],
    ['/b/', 200, null],
    ['/b.html', 308, '/b'],
    ['/[y]', 308, '/%5By%5D'],
    ['/list', 308, '/list/'],
    ['/list/', 200, null],
  ])('%s', async (path, status, location) => {
    const answer = await clean.visit(path)
    expect([answer.status, answer.headers.get('location')]).toEqual([status, location])
  })

  test('their headers are sent, before those of _headers', async () => {
    expect((await clean.visit('/b')).headers.get('x-s')).toBe('s')
  })
})

describe('headers', () => {
  test('those of _headers that a site may set', async () => {
    const { headers } = await preview.visit('/b.html')
    expect(headers.get('x-owner')).toBe('yes')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('content-length')).toBe('1')
    // On a name under a domain that others share.
    expect(headers.get('set-cookie')).toBeNull()
  })

  test.each([
    ['/x', 'public, max-age=0, must-revalidate', 'application/octet-stream'],
    [
      '/assets/app-B1x2Y3z4.js',
      'public, max-age=31536000, immutable',
      'text/javascript; charset=utf-8',
    ],
    ['/missing', 'no-store', 'text/html; charset=utf-8'],
  ])('%s', async (path, cacheControl, contentType) => {
    const { headers } = await preview.visit(path)
    expect(headers.get('cache-control')).toBe(cacheControl)
    expect(headers.get('content-type')).toBe(contentType)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('Last-Modified is when the folder was read', async () => {
    const modified = Date.parse((await preview.visit('/')).headers.get('last-modified') ?? '')
    expect(Math.abs(Date.now() - modified)).toBeLessThan(60_000)
  })
})

describe('representations', () => {
  const gzipped = gzipSync(page, { level: 9 })

  test('what publishing compresses goes out as it would be stored, tag and all', async () => {
    const answer = await preview.visit('/', { 'accept-encoding': 'gzip' })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    expect(answer.headers.get('etag')).toBe(tagOf(gzipped, { coding: 'gzip' }))
    expect(Buffer.from(await answer.bytes())).toEqual(gzipped)
  })

  test('identity is the content, with a tag of its own', async () => {
    const answer = await preview.visit('/')
    expect(answer.headers.get('content-encoding')).toBeNull()
    expect(answer.headers.get('etag')).toBe(tagOf(gzipped, { coding: 'gzip', sent: 'identity' }))
    expect(await answer.text()).toBe(page)
  })

  test('what gains nothing by compression is stored as it is', async () => {
    const { headers } = await preview.visit('/x', { 'accept-encoding': 'gzip' })
    expect(headers.get('content-encoding')).toBeNull()
    expect(headers.get('etag')).toBe(
      tagOf(Buffer.from('x'), { contentType: 'application/octet-stream' }),
    )
  })

  test('brotli is made behind the first answer', async () => {
    const answer = await eventually(async () => {
      const answer = await preview.visit('/', { 'accept-encoding': 'br' })
      expect(answer.headers.get('content-encoding')).toBe('br')
      return answer
    })
    expect(brotliDecompressSync(await answer.bytes()).toString()).toBe(page)
  })

  test('what is known is not sent again, what was expected otherwise is refused', async () => {
    const etag = tagOf(gzipped, { coding: 'gzip', sent: 'identity' })
    const known = await preview.visit('/', { 'if-none-match': etag })
    expect([known.status, await known.text()]).toEqual([304, ''])
    expect((await preview.visit('/', { 'if-match': '"other"' })).status).toBe(412)
  })

  test('ranges, of large files too', async () => {
    const part = await preview.visit('/large.txt', { range: 'bytes=2500000-2500013' })
    expect([part.status, await part.text()]).toEqual([206, large.slice(2_500_000, 2_500_014)])
    expect(part.headers.get('content-range')).toBe(`bytes 2500000-2500013/${large.length}`)
    expect((await preview.visit('/x', { range: 'bytes=9-' })).status).toBe(416)
  })

  test('HEAD has the same headers and no body; an empty file is empty', async () => {
    const head = await preview.visit('/large.txt', {}, 'HEAD')
    expect([head.headers.get('content-length'), await head.text()]).toEqual([`${large.length}`, ''])
    expect(await (await preview.visit('/empty.txt')).text()).toBe('')
  })
})

test('what is left out and what is wrong is said before the ready line', () => {
  expect(preview.process.output().split('\n')).toEqual([
    expect.stringMatching(/\/site: 15 files$/),
    '  left out: ".env" (may hold secrets)',
    '  left out: "drawing.psd" (.sitehostignore)',
    expect.stringMatching(/^ {2}problem: _redirects, line 6: /),
    expect.stringMatching(/^ {2}problem: _headers, line 3: /),
    expect.stringMatching(/^ {2}problem: _headers, line 6: /),
    expect.stringMatching(/^ready \{"url":"http:\/\/127\.0\.0\.1:\d+\/"\}$/),
    '',
  ])
})

test('a site that publishing would refuse is shown all the same, and that is said', async () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i % 3}/${i}.txt`, '']))
  const environment = { MAX_SITE_FILES: '1000' }
  await using large = await startPreview({ ...many, 'index.html': '' }, { environment })
  expect(large.said('problem:')).toEqual([
    '  problem: publishing would refuse this: A site can have at most 1,000 files; this upload has more.',
  ])
  expect((await large.visit('/0/999.txt')).status).toBe(200)
})

describe('--watch', () => {
  const args = ['--watch']
  const start = (files: Record<string, string>, settings?: object) =>
    startPreview(files, { args, ...(settings && { settings }) })
  const becomes = (preview: Preview, path: string, expected: string) =>
    eventually(async () => expect(await (await preview.visit(path)).text()).toBe(expected))

  test('shows what has changed, with another tag', async () => {
    await using watched = await start({ 'index.html': 'first' })
    const before = (await watched.visit('/')).headers.get('etag')
    await watched.write({ 'index.html': 'other', 'new/page.html': 'new' })
    await becomes(watched, '/', 'other')
    await becomes(watched, '/new/page.html', 'new')
    const { headers, status } = await watched.visit('/', { 'if-none-match': before ?? '' })
    expect([status, headers.get('etag')]).toEqual([200, tagOf(Buffer.from('other'))])
    await rm(join(watched.folder, 'new'), { recursive: true })
    await eventually(async () => expect((await watched.visit('/new/page.html')).status).toBe(404))
  })

  test('says the problems that are new', async () => {
    await using watched = await start({ 'index.html': '', _redirects: '/a /b 999\n' })
    expect(watched.said('problem:')).toHaveLength(1)
    await watched.write({ _redirects: '/a /b 999\n/c /d\n', _headers: 'wrong\n' })
    // The last line: the others are there, and visitors get what it speaks of.
    await eventually(async () =>
      expect(watched.said('problem:')).toEqual([
        expect.stringMatching(/_redirects, line 1: /),
        expect.stringMatching(/_headers, line 1: /),
      ]),
    )
    expect(watched.said('read again:')).toEqual(['  read again: 3 files, 2 problems'])
    expect((await watched.visit('/c')).status).toBe(301)
  })

  test('a folder that is gone stays shown until it is back', async () => {
    await using watched = await start({ 'index.html': 'first' })
    await rename(watched.folder, `${watched.folder}-away`)
    await eventually(async () => expect(watched.said('There is no folder')).toHaveLength(1))
    expect(await (await watched.visit('/')).text()).toBe('first')
    await mkdir(watched.folder)
    await watched.write({ 'index.html': 'built anew' })
    await becomes(watched, '/', 'built anew')
  })

  test('settings count when they are saved; while they are broken, those from before', async () => {
    await using watched = await start({ 'index.html': '', 'a.html': 'a' }, { cleanUrls: true })
    const settings = join(dirname(watched.folder), 'settings.json')
    expect((await watched.visit('/a')).status).toBe(200)
    await Bun.write(settings, '{ "cleanUrls": fal')
    await eventually(async () =>
      expect(watched.said('problem:')).toEqual([
        expect.stringMatching(/settings\.json is not JSON: .*; the previous settings apply$/),
      ]),
    )
    expect((await watched.visit('/a')).status).toBe(200)
    await Bun.write(settings, '{ "cleanUrls": false }')
    await eventually(async () => expect((await watched.visit('/a')).status).toBe(404))
  })

  test('outlasts files that are written, moved and removed all the time', async () => {
    await using watched = await start({ 'index.html': 'first' })
    const until = Date.now() + 1_500
    for (let i = 0; Date.now() < until; i++) {
      await watched.write({ [`f${i % 7}.html`]: `${i}`.repeat(5_000), [`d${i % 3}/x`]: `${i}` })
      await rm(join(watched.folder, `d${(i + 1) % 3}`), { recursive: true, force: true })
      await rename(join(watched.folder, `f${i % 7}.html`), join(watched.folder, 'moved.html'))
    }
    await watched.write({ 'index.html': 'last' })
    await becomes(watched, '/', 'last')
  }, 120_000)
})

test('without --watch, what was there at the start stays shown', async () => {
  await using still = await startPreview({ 'index.html': 'first' })
  const etag = (await still.visit('/')).headers.get('etag')
  await still.write({ 'index.html': 'other' })
  const answer = await still.visit('/')
  expect([await answer.text(), answer.headers.get('etag')]).toEqual(['first', etag])
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends it, and nothing stays behind',
  async (signal) => {
    await using ended = await startPreview({ 'index.html': 'x' }, { args: ['--watch'] })
    process.kill(ended.process.pid, signal)
    expect(await ended.process.exited).toBe(0)
    expect(await readdir(dirname(ended.folder))).toEqual(['site'])
  },
)

describe('what cannot be previewed ends with a sentence', () => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-no-preview-'))
    await Bun.write(join(dir, 'file'), '')
    await Bun.write(join(dir, 'bad.json'), '{ "cleanUrls": 1 }')
    await Bun.write(join(dir, 'no.json'), '{')
    await mkdir(join(dir, 'site'))
  })
  afterAll(() => rm(dir, { recursive: true }))

  const rows: [string, string, string[], RegExp][] = [
    ['no such folder', 'missing', [], /There is no folder .*missing\.$/],
    ['a file', 'file', [], /file is not a folder\.$/],
    ['a bad port', 'site', ['--port', '70000'], /--port: a number from 0 to 65535$/],
    [
      'wrong settings',
      'site',
      ['--settings', 'bad.json'],
      /bad\.json: cleanUrls: expected true or false/,
    ],
    ['settings that are no JSON', 'site', ['--settings', 'no.json'], /no\.json is not JSON: /],
    ['no such settings', 'site', ['--settings', 'none'], /none cannot be read \(ENOENT\)$/],
  ]
  test.each(rows)('%s', async (_, folder, args, message) => {
    const placed = args.map((arg, i) => (args[i - 1] === '--settings' ? join(dir, arg) : arg))
    const started = startServiceProcess(['preview', join(dir, folder), '--port', '0', ...placed])
    const error: Error = await started.then(
      () => new Error('started'),
      (error) => error,
    )
    const sentence = /exit code 1: sitehost: (.*)\n$/s.exec(error.message)?.[1]
    expect(sentence).toMatch(message)
  })

  test('a port that is taken', async () => {
    using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const args = ['preview', join(dir, 'site'), '--port', String(taken.port)]
    await expect(startServiceProcess(args)).rejects.toThrow(`port ${taken.port} is in use`)
  })
})
