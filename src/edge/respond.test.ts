import { describe, expect, test } from 'bun:test'
import { resolve } from '#site/resolve.ts'
import { type SampleFile, snapshotOf, storedFile } from '#tests/support/served-site.ts'
import { respond } from './respond.ts'

const mebibyte = 1024 * 1024
const large = new Uint8Array(5 * mebibyte).map((_, i) => i % 251)
const samples: Record<string, SampleFile> = {
  'plain.png': { body: 'png', contentType: 'image/png' },
  'page.html': { body: '<h1>page</h1>', gzip: true },
  'large.txt': { body: large, contentType: 'text/plain; charset=utf-8', gzip: true },
  'large.bin': { body: large, contentType: 'application/octet-stream' },
  'empty.txt': { body: '', contentType: 'text/plain; charset=utf-8' },
  'empty.gz.txt': { body: '', contentType: 'text/plain; charset=utf-8', gzip: true },
  'd/index.html': { body: 'index' },
}
const entries = Object.entries(samples).map(([path, sample]) => [path, storedFile(sample)] as const)
const blobs = new Map(entries.map(([, { file, stored }]) => [file.hash, new Blob([stored])]))
const snapshot = snapshotOf(Object.fromEntries(entries.map(([path, { file }]) => [path, file])))
const fileOf = (path: string) => {
  const file = snapshot.files.get(path)
  if (file === undefined) throw new Error(`no ${path}`)
  return file
}

async function visit(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const url = new URL(path, 'http://blog.test')
  const decision = resolve(snapshot, { method, pathname: url.pathname, search: url.search })
  const missing: unknown[] = []
  const response = await respond(decision, new Request(url, { method, headers }), snapshot, {
    openBlob: async (hash) => blobs.get(hash) ?? null,
    onMissing: (site) => missing.push(site),
  })
  const body = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: Object.fromEntries(response.headers), body, missing }
}

const base = {
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
  'x-sitehost-record': 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/place.sitehost.fs/blog',
  'x-sitehost-version': 'cid-of-the-record',
}
const ofFile = {
  ...base,
  'content-disposition': 'inline',
  'cache-control': 'public, max-age=0, must-revalidate',
  'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT',
}
const gzip = { 'accept-encoding': 'gzip, deflate, br' }

describe('a file that is stored as it is', () => {
  for (const headers of [{}, gzip, { 'accept-encoding': 'identity;q=0' }]) {
    test(JSON.stringify(headers), async () => {
      const { status, body, headers: sent } = await visit('/plain.png', headers)
      expect([status, body.toString()]).toEqual([200, 'png'])
      expect(sent).toEqual({
        ...ofFile,
        etag: `"${fileOf('plain.png').cid}"`,
        'content-type': 'image/png',
        'content-length': '3',
      })
    })
  }
})

describe('a file that is stored compressed', () => {
  const { cid, storedBytes } = fileOf('page.html')
  const html = { ...ofFile, vary: 'accept-encoding', 'content-type': 'text/html; charset=utf-8' }

  test('goes out as it is to who takes gzip', async () => {
    const { headers, body } = await visit('/page.html', gzip)
    expect(Buffer.from(Bun.gunzipSync(new Uint8Array(body))).toString()).toBe('<h1>page</h1>')
    expect(headers).toEqual({
      ...html,
      etag: `"${cid}-gzip"`,
      'content-encoding': 'gzip',
      'content-length': String(storedBytes),
    })
  })

  for (const refusal of [{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip;q=0' }]) {
    test(`is decoded for ${JSON.stringify(refusal)}`, async () => {
      const { headers, body } = await visit('/page.html', refusal)
      expect(body.toString()).toBe('<h1>page</h1>')
      expect(headers).toEqual({ ...html, etag: `"${cid}"`, 'content-length': '13' })
    })
  }
})

describe('whole, in either coding', () => {
  for (const path of ['large.txt', 'large.bin', 'empty.txt', 'empty.gz.txt']) {
    for (const headers of [{}, gzip]) {
      test(`${path} ${JSON.stringify(headers)}`, async () => {
        const sent = await visit(`/${path}`, headers)
        const isCoded = sent.headers['content-encoding'] === 'gzip'
        const decoded = isCoded ? Bun.gunzipSync(new Uint8Array(sent.body)) : sent.body
        expect(Bun.hash(decoded)).toBe(
          Bun.hash(new Uint8Array(Buffer.from(samples[path]?.body ?? 'x'))),
        )
        expect(sent.headers['content-length']).toBe(String(sent.body.length))
      })
    }
  }
})

test('HEAD has the headers of GET and no body', async () => {
  for (const path of Object.keys(samples)) {
    for (const headers of [{}, gzip]) {
      const [get, head] = [
        await visit(`/${path}`, headers),
        await visit(`/${path}`, headers, 'HEAD'),
      ]
      expect([path, head.status, head.headers]).toEqual([path, get.status, get.headers])
      expect(head.body.length).toBe(0)
    }
  }
})

describe('If-None-Match', () => {
  const { cid } = fileOf('page.html')
  const facts: [string, Record<string, string>, number][] = [
    [`"${cid}"`, {}, 304],
    [`W/"${cid}"`, {}, 304],
    ['*', {}, 304],
    [`"x", "${cid}-gzip"`, gzip, 304],
    // A tag of the other coding is one of other bytes.
    [`"${cid}-gzip"`, {}, 200],
    [`"${cid}"`, gzip, 200],
    ['"other"', {}, 200],
  ]
  for (const [tag, headers, expected] of facts) {
    for (const method of ['GET', 'HEAD']) {
      test(`${method} ${tag} ${JSON.stringify(headers)}: ${expected}`, async () => {
        const sent = await visit('/page.html', { ...headers, 'if-none-match': tag }, method)
        expect(sent.status).toBe(expected)
        if (expected !== 304) return
        expect(sent.headers).toEqual({
          ...base,
          etag: headers === gzip ? `"${cid}-gzip"` : `"${cid}"`,
          'cache-control': 'public, max-age=0, must-revalidate',
          vary: 'accept-encoding',
        })
        expect(sent.body.length).toBe(0)
      })
    }
  }
})

test('a directory without its slash leads there, query kept', async () => {
  const { status, headers } = await visit('/d?a=1&b=%20')
  expect(status).toBe(308)
  expect(headers).toEqual({
    ...base,
    location: '/d/?a=1&b=%20',
    'cache-control': 'public, max-age=0',
  })
})

describe('methods', () => {
  test('OPTIONS tells scripts of other origins what they may do', async () => {
    const { status, headers } = await visit('/page.html', {}, 'OPTIONS')
    expect(status).toBe(204)
    expect(headers).toEqual({
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': '*',
    })
  })

  const facts: [string, string, number, string | undefined][] = [
    ['POST', '/page.html', 405, 'GET, HEAD, OPTIONS'],
    ['DELETE', '/d/', 405, 'GET, HEAD, OPTIONS'],
    ['POST', '/nothing', 404, undefined],
  ]
  for (const [method, path, status, allow] of facts) {
    test(`${method} ${path}: ${status}`, async () => {
      const sent = await visit(path, {}, method)
      expect([sent.status, sent.headers['allow']]).toEqual([status, allow])
      expect(sent.headers['cache-control']).toBe('no-store')
    })
  }
})

describe('pages of ours', () => {
  const facts: [string, number][] = [
    ['/nothing', 404],
    ['/_redirects', 404],
    ['/a%zz', 400],
    ['/%00', 400],
    ['/a/..%2f..%2fetc/passwd', 400],
    [`/${'a'.repeat(4096)}`, 414],
  ]
  for (const [path, status] of facts) {
    test(`${path.slice(0, 30)}: ${status}`, async () => {
      const sent = await visit(path)
      expect([sent.status, sent.headers['cache-control']]).toEqual([status, 'no-store'])
      expect(sent.headers['content-type']).toBe('text/html; charset=utf-8')
    })
  }
})

describe('a file whose bytes are not here', () => {
  const { file } = storedFile({ body: 'gone' })
  const [known] = snapshot.files
  const lost = snapshotOf({ ...(known && { [known[0]]: known[1] }), 'lost.html': file })
  for (const method of ['GET', 'HEAD']) {
    test(`${method}: 503, to be tried again, and the site is asked for`, async () => {
      const missing: unknown[] = []
      const request = new Request('http://blog.test/lost.html', { method })
      const decision = resolve(lost, { method, pathname: '/lost.html' })
      const response = await respond(decision, request, lost, {
        openBlob: async () => null,
        onMissing: (site) => missing.push(site),
      })
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('2')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('etag')).toBeNull()
      expect(missing).toEqual([lost])
    })
  }
})
