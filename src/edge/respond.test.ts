import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { etagOf } from '#edge/files/etag.ts'
import type { ContentCoding } from '#http/accept-encoding.ts'
import { servableSite } from '#site/visit/servable-site.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'
import {
  seen,
  type VisitedSite,
  type VisitOptions,
  visitedSite,
  visitSite,
} from '#tests/support/visitors/edge.ts'
import { type SampleFile, snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'
import { SiteInMemory } from './site-in-memory.ts'

const large = new Uint8Array(5 * 1024 * 1024).map((_, i) => i % 251)
const text = 'text/plain; charset=utf-8'
const samples: Record<string, SampleFile> = {
  'plain.png': { body: 'png', contentType: 'image/png' },
  'page.html': { body: '<h1>page</h1>', gzip: true },
  'large.txt': { body: large, contentType: text, gzip: true },
  'large.bin': { body: large, contentType: 'application/octet-stream' },
  'empty.txt': { body: '', contentType: text },
  'empty.gz.txt': { body: '', contentType: text, gzip: true },
  'assets/index-BX3f9aQz.js': { body: 'js', contentType: 'text/javascript; charset=utf-8' },
  'd/index.html': { body: 'index' },
}
const site = visitedSite(samples)
afterAll(() => rm(site.scratch, { recursive: true }))
const fileOf = (path: string) => {
  const file = site.known.site.files.get(path)
  if (file === undefined) throw new Error(`no ${path}`)
  return file
}
const tagOf = (path: string, coding: ContentCoding = 'identity') => {
  const file = fileOf(path)
  return etagOf({ file, coding, contentType: file.contentType })
}
const visit = (path: string, headers: VisitOptions['headers'] = {}, method = 'GET') =>
  seen(visitSite(site, path, { headers, method }))

const base = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
  'x-content-type-options': 'nosniff',
  'x-sitehost-record': 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/place.sitehost.fs/blog',
  'x-sitehost-version': 'cid-of-the-record',
}
const ofFile = {
  ...base,
  'accept-ranges': 'bytes',
  'cache-control': 'public, max-age=0, must-revalidate',
  'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT',
}
const gzip = { 'accept-encoding': 'gzip, deflate' }
const identity = { 'accept-encoding': 'identity' }

describe('a file that is stored as it is', () => {
  for (const headers of [{}, gzip, { 'accept-encoding': 'identity;q=0' }]) {
    test(JSON.stringify(headers), async () => {
      const { status, body, headers: sent } = await visit('/plain.png', headers)
      expect([status, body.toString()]).toEqual([200, 'png'])
      expect(sent).toEqual({
        ...ofFile,
        etag: tagOf('plain.png'),
        'content-type': 'image/png',
        'content-length': '3',
      })
    })
  }
})

describe('a file that is stored compressed', () => {
  const { storedBytes } = fileOf('page.html')
  const html = { ...ofFile, vary: 'accept-encoding', 'content-type': 'text/html; charset=utf-8' }

  test('goes out as it is to who takes gzip', async () => {
    const { headers, body } = await visit('/page.html', gzip)
    expect(Buffer.from(Bun.gunzipSync(new Uint8Array(body))).toString()).toBe('<h1>page</h1>')
    expect(headers).toEqual({
      ...html,
      etag: tagOf('page.html', 'gzip'),
      'content-encoding': 'gzip',
      'content-length': String(storedBytes),
    })
  })

  for (const refusal of [{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip;q=0' }]) {
    test(`is decoded for ${JSON.stringify(refusal)}`, async () => {
      const { headers, body } = await visit('/page.html', refusal)
      expect(body.toString()).toBe('<h1>page</h1>')
      expect(headers).toEqual({ ...html, etag: tagOf('page.html'), 'content-length': '13' })
    })
  }
})

test('what takes more than 1 MiB only as it is stored is streamed as well', async () => {
  const noise = new Uint8Array(1024 * 1024)
  for (let at = 0; at < noise.length; at += 65_536)
    crypto.getRandomValues(noise.subarray(at, at + 65_536))
  const grown = visitedSite({ 'noise.txt': { body: noise, contentType: text, gzip: true } })
  for (const headers of [identity, gzip, { range: 'bytes=0-' }]) {
    const { status, body, headers: sent } = await seen(visitSite(grown, '/noise.txt', { headers }))
    const decoded = sent['content-encoding'] ? Bun.gunzipSync(new Uint8Array(body)) : body
    expect([status < 300, Bun.hash(decoded)]).toEqual([true, Bun.hash(noise)])
  }
  await rm(grown.scratch, { recursive: true })
})

describe('text that is worth another coding', () => {
  const css = { contentType: 'text/css; charset=utf-8' }
  const kibibyte = 'a'.repeat(1024)
  test.each<[string, SampleFile, boolean]>([
    ['1 KiB', { body: kibibyte, ...css }, false],
    ['a byte more', { body: `${kibibyte}a`, ...css }, true],
    ['stored as gzip', { body: kibibyte.repeat(9), ...css, gzip: true }, true],
    ['1 MiB', { body: kibibyte.repeat(1024), ...css }, true],
    ['a byte more than that', { body: `${kibibyte.repeat(1024)}a`, ...css }, false],
    ['no text', { body: kibibyte.repeat(9), contentType: 'image/png' }, false],
  ])('%s: sent in it once it is made', async (_, sample, isCoded) => {
    const coded = visitedSite({ 'a.css': sample })
    const tags = new Set<string | undefined>()
    const codingFor = async (accept: string) => {
      const headers = { 'accept-encoding': accept }
      await seen(visitSite(coded, '/a.css', { headers }))
      await coded.context.recompressor.idle()
      const sent = await seen(visitSite(coded, '/a.css', { headers }))
      if (isCoded) expect(sent.headers['vary']).toBe('accept-encoding')
      tags.add(sent.headers['etag'])
      return sent.headers['content-encoding'] ?? null
    }
    const codings: [string, string][] = [
      ['gzip, deflate, br, zstd', 'br'],
      ['zstd', 'zstd'],
      ['gzip', 'gzip'],
    ]
    for (const [accept, coding] of codings) {
      expect(await codingFor(accept)).toBe(isCoded ? coding : null)
    }
    expect(await codingFor('identity')).toBeNull()
    expect(tags.size).toBe(isCoded ? codings.length + 1 : 1)
  })
})

describe('whole, in either coding', () => {
  for (const path of ['large.txt', 'large.bin', 'empty.txt', 'empty.gz.txt']) {
    for (const headers of [identity, gzip]) {
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

test('a name that holds a hash is kept for a year, at its own address only', async () => {
  const kept = 'public, max-age=31536000, immutable'
  const asset = '/assets/index-BX3f9aQz.js'
  expect((await visit(asset)).headers['cache-control']).toBe(kept)
  const rewritten = visitedSite(samples, { redirects: `/app.js ${asset} 200` })
  for (const [path, expected] of [
    [asset, kept],
    ['/app.js', ofFile['cache-control']],
    [asset, kept],
  ] as const) {
    const { headers, body } = await seen(visitSite(rewritten, path))
    expect([path, body.toString(), headers['cache-control']]).toEqual([path, 'js', expected])
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

test('the same blob that is read in another way, or is of another type, has another tag', async () => {
  const { file, stored } = storedFile({ body: '<h1>page</h1>', gzip: true })
  const tagAs = async (facts: Partial<SnapshotFile>, rules = '') => {
    const read = servableSite(
      snapshotOf({ 'index.html': { ...file, ...facts } }, { headers: rules }),
    )
    const known = new SiteInMemory(read, () => undefined)
    const { context, stored: blobs } = visitedSite({})
    blobs.set(file.hash, new Blob([stored]))
    return (await seen(visitSite({ known, context }, '/'))).headers['etag']
  }
  const tags = [
    await tagAs({}),
    await tagAs({ coding: 'identity', bytes: file.storedBytes }),
    await tagAs({ contentType: text }),
    await tagAs({}, '/\n  Content-Type: image/png'),
  ]
  expect(new Set(tags).size).toBe(tags.length)
  expect(await tagAs({})).toBe(tags[0])
})

describe('conditions', () => {
  const tag = tagOf('page.html')
  const gzipTag = tagOf('page.html', 'gzip')
  const same = ofFile['last-modified']
  const facts: [VisitOptions['headers'], number][] = [
    [{ 'if-none-match': tag }, 304],
    [{ 'if-none-match': `W/${tag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ ...gzip, 'if-none-match': `"x", ${gzipTag}` }, 304],
    // A tag of the other coding is one of other bytes.
    [{ 'if-none-match': gzipTag }, 200],
    [{ ...gzip, 'if-none-match': tag }, 200],
    [{ 'if-none-match': '"other"' }, 200],
    [{ 'if-modified-since': same }, 304],
    [{ 'if-modified-since': 'Mon, 31 Dec 2029 23:59:59 GMT' }, 200],
    [{ 'if-modified-since': same, 'if-none-match': '"other"' }, 200],
    [{ 'if-match': tag }, 200],
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-unmodified-since': same }, 200],
    [{ 'if-unmodified-since': 'Mon, 31 Dec 2029 23:59:59 GMT' }, 412],
  ]
  for (const [headers = {}, expected] of facts) {
    for (const method of ['GET', 'HEAD']) {
      test(`${method} ${JSON.stringify(headers)}: ${expected}`, async () => {
        const sent = await visit('/page.html', headers, method)
        expect(sent.status).toBe(expected)
        if (expected !== 304) return
        expect(sent.headers).toEqual({
          'access-control-allow-origin': '*',
          'access-control-expose-headers': '*',
          etag: 'accept-encoding' in headers ? gzipTag : tag,
          'cache-control': ofFile['cache-control'],
          vary: 'accept-encoding',
        })
        expect(sent.body.length).toBe(0)
      })
    }
  }
})

describe('ranges', () => {
  const { storedBytes } = fileOf('page.html')
  const tag = tagOf('page.html')
  const gzipTag = tagOf('page.html', 'gzip')
  const last = large.length - 1
  const facts: [string, VisitOptions['headers'], number, string | null, string?][] = [
    ['/page.html', { range: 'bytes=0-3' }, 206, 'bytes 0-3/13', '<h1>'],
    ['/page.html', { range: 'bytes=-5' }, 206, 'bytes 8-12/13', '</h1>'],
    ['/page.html', { range: 'bytes=4-99' }, 206, 'bytes 4-12/13', 'page</h1>'],
    ['/page.html', { range: 'bytes=13-' }, 416, 'bytes */13'],
    ['/page.html', { range: 'bytes=2-1' }, 200, null, '<h1>page</h1>'],
    ['/page.html', { range: 'bytes=0-1,3-4' }, 200, null, '<h1>page</h1>'],
    ['/page.html', { range: 'lines=0-1' }, 200, null, '<h1>page</h1>'],
    // Of the content, whatever else the visitor takes.
    ['/page.html', { ...gzip, range: 'bytes=0-3' }, 206, 'bytes 0-3/13', '<h1>'],
    ['/page.html', { range: 'bytes=0-3', 'if-range': tag }, 206, 'bytes 0-3/13', '<h1>'],
    ['/page.html', { range: 'bytes=0-3', 'if-range': '"old"' }, 200, null, '<h1>page</h1>'],
    ['/page.html', { range: 'bytes=0-3', 'if-range': `W/${tag}` }, 200, null, '<h1>page</h1>'],
    ['/page.html', { range: 'bytes=0-3', 'if-none-match': tag }, 304, null, ''],
    // Who has a part of the compressed form gets the rest of it.
    [
      '/page.html',
      { ...gzip, range: 'bytes=0-1', 'if-range': gzipTag },
      206,
      `bytes 0-1/${storedBytes}`,
      '\x1f\x8b',
    ],
    ['/empty.txt', { range: 'bytes=0-' }, 416, 'bytes */0'],
    [
      '/large.bin',
      { range: 'bytes=251-253' },
      206,
      `bytes 251-253/${large.length}`,
      '\x00\x01\x02',
    ],
    [
      '/large.txt',
      { range: 'bytes=251-253' },
      206,
      `bytes 251-253/${large.length}`,
      '\x00\x01\x02',
    ],
    [
      '/large.txt',
      { range: `bytes=${last}-` },
      206,
      `bytes ${last}-${last}/${large.length}`,
      String.fromCharCode(last % 251),
    ],
    ['/nothing', { range: 'bytes=0-3' }, 404, null],
  ]
  for (const [path, headers, status, range, body] of facts) {
    test(`${path} ${JSON.stringify(headers)}: ${status}`, async () => {
      const sent = await visit(path, headers)
      expect([sent.status, sent.headers['content-range'] ?? null]).toEqual([status, range])
      if (body !== undefined) expect(sent.body.toString('latin1')).toBe(body)
      if (status === 206) expect(sent.headers['content-length']).toBe(String(sent.body.length))
    })
  }

  test('the compressed form of a part says so', async () => {
    const headers = { ...gzip, range: 'bytes=0-1', 'if-range': gzipTag }
    expect((await visit('/page.html', headers)).headers['content-encoding']).toBe('gzip')
  })

  test('are nothing to HEAD', async () => {
    const sent = await visit('/page.html', { range: 'bytes=0-3' }, 'HEAD')
    expect([sent.status, sent.headers['content-length']]).toEqual([200, '13'])
  })
})

test('where no answer may keep a file open, large files are 503, and nothing is counted', async () => {
  const context = { ...site.context, canOpenFile: () => false }
  const addBody = spyOn(site.known.share, 'addBody')
  const ask = (path: string, options = {}) => visitSite({ ...site, context }, path, options)
  try {
    for (const path of ['/large.bin', '/large.txt']) {
      for (const headers of [{}, { range: 'bytes=0-9' }, { 'accept-encoding': 'identity' }]) {
        const { headers: sent, status } = await seen(ask(path, { headers }))
        expect([status, sent['retry-after']]).toEqual([503, '1'])
      }
      expect((await seen(ask(path, { method: 'HEAD' }))).status).toBe(200)
    }
    expect(addBody).not.toHaveBeenCalled()
    expect((await seen(ask('/empty.txt'))).status).toBe(200)
  } finally {
    addBody.mockRestore()
  }
})

describe('a large file that is stored compressed', () => {
  const { hash } = fileOf('large.txt')
  const openedBy = async (headers: VisitOptions['headers'], method = 'GET') => {
    const before = site.reads.length
    await visit('/large.txt', headers, method)
    return site.reads.slice(before).filter((read) => read === hash).length
  }

  test('is decoded once, whatever parts of it are asked for', async () => {
    await visit('/large.txt', identity)
    for (const range of ['bytes=0-9', `bytes=${large.length - 1}-`, 'bytes=-10']) {
      expect(await openedBy({ range })).toBe(0)
    }
    expect(await openedBy(identity)).toBe(0)
  })

  test('is not decoded for who asks for no byte of it', async () => {
    const open = async () => {
      throw new Error('decoded')
    }
    const context = { ...site.context, decodedFiles: { open } }
    for (const options of [
      { method: 'HEAD' },
      { headers: gzip },
      { headers: { 'if-none-match': '*' } },
      { headers: { range: `bytes=${large.length}-` } },
    ]) {
      const { status } = await seen(visitSite({ ...site, context }, '/large.txt', options))
      expect([200, 304, 416]).toContain(status)
    }
  })

  test.each([
    ['the disk has no room for it', 'full'],
    ['others have to be decoded before', 'busy'],
  ] as const)('is decoded on its way where %s', async (_, opened) => {
    const context = { ...site.context, decodedFiles: { open: async () => opened } }
    const visitAnyway = (headers: Record<string, string>) =>
      seen(visitSite({ ...site, context }, '/large.txt', { headers }))
    for (const headers of [identity, { range: 'bytes=1-5' }]) {
      const sent = await visitAnyway(headers)
      expect([sent.status, Bun.hash(sent.body)]).toEqual([200, Bun.hash(large)])
      expect(sent.headers['etag']).toBe(tagOf('large.txt'))
      for (const name of ['accept-ranges', 'content-length', 'content-range']) {
        expect(sent.headers[name]).toBeUndefined()
      }
    }
    const { headers, status, body } = await visitAnyway(gzip)
    expect([status, headers['content-encoding']]).toEqual([200, 'gzip'])
    expect(headers['content-length']).toBe(String(body.length))
  })

  test.each(['full', 'busy'] as const)(
    'is for later when too many are decoded on their way: %s',
    async (opened) => {
      const context = {
        ...site.context,
        decodedFiles: { open: async () => opened },
        decodedStreams: { open: () => 'busy' as const },
      }
      const busy = await seen(visitSite({ ...site, context }, '/large.txt', { headers: identity }))
      expect([busy.status, busy.headers['retry-after'], busy.headers['cache-control']]).toEqual([
        ...[503, '2', 'no-store'],
      ])
    },
  )
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
      'access-control-expose-headers': '*',
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

describe('a page of the site for what is not there', () => {
  const own = visitedSite({ ...samples, '404.html': { body: '<h1>lost</h1>', gzip: true } })
  for (const headers of [{}, { 'if-none-match': '*' }, { range: 'bytes=0-1' }]) {
    test(`is whole, and kept by nobody: ${JSON.stringify(headers)}`, async () => {
      const sent = await seen(visitSite(own, '/nothing', { headers }))
      expect([sent.status, sent.body.toString()]).toEqual([404, '<h1>lost</h1>'])
      expect(sent.headers['cache-control']).toBe('no-store')
      for (const name of ['etag', 'last-modified', 'accept-ranges']) {
        expect(sent.headers[name]).toBeUndefined()
      }
    })
  }

  test('is an ordinary file at its own address, before and after', async () => {
    for (const status of [404, 200, 404]) {
      const sent = await seen(visitSite(own, status === 200 ? '/404.html' : '/nothing'))
      expect([sent.status, 'etag' in sent.headers]).toEqual([status, status === 200])
    }
  })
})

describe('listings', () => {
  const listed = visitedSite(samples, {
    settings: { $type: 'place.sitehost.settings', directoryListing: true },
  })
  const list = (accept: string, path = '/') =>
    seen(visitSite(listed, path, { headers: { accept } }))

  test('are pages', async () => {
    const { status, headers, body } = await list('text/html,*/*;q=0.8')
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['vary']).toBe('accept')
    expect(body.toString()).toContain('<a href="./plain.png">')
  })

  test('or JSON, for who wants that', async () => {
    const { headers, body } = await list('application/json', '/assets/')
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(body.toString())).toEqual({
      path: '/assets/',
      entries: [
        {
          kind: 'file',
          name: 'index-BX3f9aQz.js',
          bytes: 2,
          contentType: 'text/javascript; charset=utf-8',
        },
      ],
      more: 0,
    })
  })

  test('are made once for each kind, whoever asks', () => {
    const { context, known } = listed
    const listing = { kind: 'listing', status: 200, path: '', entries: [], vary: [] } as const
    const of = (kind: 'page' | 'json') => known.listingOf({ ...listing }, kind, context.pages)
    expect(of('page')).toBe(of('page'))
    expect(of('json')).not.toBe(of('page'))
  })

  for (const accept of ['text/html', 'application/json']) {
    test(`are sent once to whoever keeps them as ${accept}`, async () => {
      const { headers } = await list(accept)
      const tag = String(headers['etag'])
      const again = (name: string, value: string, method = 'GET') =>
        seen(visitSite(listed, '/', { method, headers: { accept, [name]: value } }))
      const known = await again('if-none-match', tag)
      expect([known.status, known.body.length]).toEqual([304, 0])
      expect(known.headers).toMatchObject({ etag: tag, vary: 'accept' })
      expect(known.headers['content-type']).toBeUndefined()
      expect((await again('if-none-match', '"other"')).status).toBe(200)
      expect((await again('if-match', '"other"')).status).toBe(412)
      const head = await again('accept', accept, 'HEAD')
      expect([head.status, head.body.length]).toEqual([200, 0])
      expect(head.headers).toEqual(headers)
    })
  }
})

describe('headers of the owner', () => {
  const caching = {
    'cache-control': 'public, max-age=31536000, immutable',
    'cdn-cache-control': 'max-age=60',
    'cloudflare-cdn-cache-control': 'max-age=60',
    'edge-control': 'max-age=60',
    expires: 'Fri, 01 Jan 2038 00:00:00 GMT',
    pragma: 'cache',
    'surrogate-control': 'max-age=60',
  }
  const lines = Object.entries(caching).map(([name, value]) => `  ${name}: ${value}\n`)
  const headers = `/*\n  X-Own: yes\n${lines.join('')}https://own.test/page.html\n  X-Host: own`
  const redirects = '/old /new\n/gone /page.html 410\n/shown /page.html 200'
  const ruled = visitedSite(samples, { headers, redirects })
  const withOwnPage = visitedSite({ ...samples, '404.html': { body: 'lost' } }, { headers })
  const cachingOf = (sent: { headers: Readonly<Record<string, string>> }) =>
    Object.fromEntries(Object.entries(sent.headers).filter(([name]) => name in caching))

  const nowhere = { 'cache-control': 'no-store' }
  const facts: [string, VisitOptions, number, object, VisitedSite?][] = [
    ['/page.html', {}, 200, caching],
    ['/shown', {}, 200, caching],
    ['/page.html', { headers: { 'if-none-match': '*' } }, 304, caching],
    ['/page.html', { headers: { range: 'bytes=0-1' } }, 206, caching],
    ['/old', {}, 301, { 'cache-control': 'public, max-age=0' }],
    ['/d', {}, 308, { 'cache-control': 'public, max-age=0' }],
    ['/nothing', {}, 404, nowhere],
    ['/nothing', {}, 404, nowhere, withOwnPage],
    ['/assets/index-BX3f9aQa.js', {}, 404, nowhere, withOwnPage],
    ['/gone', {}, 410, nowhere],
  ]
  for (const [path, options, status, expected, where = ruled] of facts) {
    test(`go along with ${status} of ${path}`, async () => {
      const sent = await seen(visitSite(where, path, options))
      expect([sent.status, sent.headers['x-own']]).toEqual([status, 'yes'])
      expect(cachingOf(sent)).toEqual({ ...expected })
    })
  }

  const refused: [string, VisitOptions, number][] = [
    ['/page.html', { headers: { 'if-match': '"x"' } }, 412],
    ['/page.html', { headers: { range: 'bytes=99-' } }, 416],
    ['/page.html', { method: 'POST' }, 405],
    ['/%zz', {}, 400],
  ]
  for (const [path, options, status] of refused) {
    test(`are no part of ${status}, which nobody keeps`, async () => {
      const sent = await seen(visitSite(ruled, path, options))
      expect([sent.status, sent.headers['x-own']]).toEqual([status, undefined])
      expect(cachingOf(sent)).toEqual(nowhere)
    })
  }

  test('say which headers scripts of other origins may read', async () => {
    const exposing = visitedSite(samples, {
      headers: '/page.html\n  Access-Control-Expose-Headers: X-Own',
    })
    const exposed = async (path: string, options: VisitOptions = {}) =>
      (await seen(visitSite(exposing, path, options))).headers['access-control-expose-headers']
    expect(await exposed('/page.html')).toBe('X-Own')
    for (const path of ['/plain.png', '/d', '/nothing', '/%zz']) {
      expect(await exposed(path)).toBe('*')
    }
    expect(await exposed('/plain.png', { method: 'OPTIONS' })).toBe('*')
  })

  test('do not say that a page of ours is of another type', async () => {
    const headers = '/*\n  Content-Type: application/json\n  X-Own: yes'
    const typed = visitedSite(samples, {
      headers,
      redirects: '/gone /none 410\n/barred /none 451',
      settings: { $type: 'place.sitehost.settings', directoryListing: true },
    })
    const typeOf = async (path: string, accept = 'text/html') => {
      const sent = await seen(visitSite(typed, path, { headers: { accept } }))
      return [sent.status, sent.headers['content-type'], sent.headers['x-own']]
    }
    const ours = 'text/html; charset=utf-8'
    expect(await typeOf('/nothing')).toEqual([404, ours, 'yes'])
    expect(await typeOf('/gone')).toEqual([410, ours, 'yes'])
    expect(await typeOf('/barred')).toEqual([451, ours, 'yes'])
    expect(await typeOf('/')).toEqual([200, ours, 'yes'])
    expect(await typeOf('/page.html')).toEqual([200, 'application/json', 'yes'])
    const plain = visitedSite(samples, {
      headers: headers.replace('application/json', 'text/plain'),
      settings: { $type: 'place.sitehost.settings', directoryListing: true },
    })
    const listing = await seen(visitSite(plain, '/', { headers: { accept: 'application/json' } }))
    expect(listing.headers['content-type']).toBe('application/json')
  })

  test('that a browser shall save a file, or show it again, is not kept from who has it', async () => {
    const plain = visitedSite(samples)
    const saved = visitedSite(samples, { headers: '/*\n  Content-Disposition: attachment' })
    for (const path of ['/page.html', '/large.txt']) {
      for (const [before, after] of [
        [plain, saved],
        [saved, plain],
      ] as const) {
        const known = await seen(visitSite(before, path))
        const headers = { 'if-none-match': String(known.headers['etag']) }
        expect((await seen(visitSite(before, path, { headers }))).status).toBe(304)
        expect((await seen(visitSite(after, path, { headers }))).status).toBe(200)
      }
    }
    for (const { scratch } of [plain, saved]) await rm(scratch, { recursive: true })
  })

  test('are those of the host', async () => {
    for (const host of ['own.test', 'blog.test', 'own.test']) {
      const sent = await seen(visitSite(ruled, '/page.html', { host, isUnderBaseDomain: false }))
      expect(sent.headers['x-host']).toBe(host === 'own.test' ? 'own' : undefined)
    }
  })
})

describe('a file whose bytes are not here', () => {
  const { hash } = fileOf('plain.png')

  /** Its bytes are missing, until somebody waits for them and they come. */
  function losing(doesArrive: boolean) {
    const lost = visitedSite(samples)
    const bytes = lost.stored.get(hash) ?? new Blob()
    lost.stored.delete(hash)
    const awaited: string[] = []
    const arrival = async (_: unknown, wanted: string): Promise<boolean> => {
      awaited.push(wanted)
      if (doesArrive) lost.stored.set(wanted, bytes)
      return doesArrive
    }
    return { awaited, site: { ...lost, context: { ...lost.context, missing: { arrival } } } }
  }

  for (const method of ['GET', 'HEAD']) {
    test(`${method}: 503, to be tried again`, async () => {
      const { awaited, site } = losing(false)
      const sent = await seen(visitSite(site, '/plain.png', { method }))
      expect([sent.status, sent.headers['retry-after']]).toEqual([503, '2'])
      expect([sent.headers['cache-control'], sent.headers['etag']]).toEqual(['no-store', undefined])
      expect(awaited).toEqual([hash])
    })
  }

  test('is answered when they come', async () => {
    const sent = await seen(visitSite(losing(true).site, '/plain.png'))
    expect([sent.status, sent.body.toString()]).toEqual([200, 'png'])
  })
})
