import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Preview, startPreview } from '#tests/support/processes/preview.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// The same folder and settings, previewed and published: visitors get the same, but for what only a
// published site has.

const settings = {
  cleanUrls: true,
  custom404: 'oops.html',
  headers: [{ name: 'X-Setting', value: 'yes', path: '/docs/*' }],
}
/** That a site can have, and that are written otherwise in an address. */
const oddNames = ["it's.html", '100%.html', '%22.html', '#top?.html', 'עברית.html', '👩‍👧.html']
const text = 'all the same '.repeat(300)
const files = {
  'index.html': `<h1>${text}</h1>`,
  'about.html': 'about',
  'docs/index.html': text,
  'docs/guide.html': text,
  // Of the same content publishing makes one blob, whatever the names; so no other file has this.
  'picture.png': text.repeat(2),
  'data.json': '{}',
  'unknown.thing': text,
  'large.txt': text.repeat(500),
  'oops.html': 'oops',
  'ä ö.txt': 'accents',
  ...Object.fromEntries(oddNames.map((name) => [name, name])),
  'assets/main-D4e5F6a7.css': 'body {}',
  'empty.txt': '',
  _redirects:
    '/old/* /docs/:splat 302\n/lang /docs/guide 302 Language=de\n/app/* /about 200\n/about /docs 301!\n',
  _headers: '/*\n  X-Frame-Options: DENY\n/docs/*\n  Cache-Control: max-age=60\n',
  '.env': 'secret',
  'node_modules/a/index.js': 'installed',
}

let world: World
let preview: Preview
let site: string
beforeAll(async () => {
  world = await startWorld()
  const alice = await world.signedIn('alice.test')
  const uploads = Object.entries(files).map(([path, body]) => ({ path, body: new Blob([body]) }))
  site = String((await alice.publish('same', uploads))['url'])
  const init = { method: 'POST', body: JSON.stringify(settings) }
  expect((await alice.fetch('/api/site/same/settings', init)).status).toBe(200)
  await eventually(async () => expect((await visitSite('/docs/guide')).status).toBe(200))
  preview = await startPreview(files, { settings })
}, 300_000)
afterAll(async () => {
  await preview[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const paths = [
  '/',
  '/index.html',
  '/about',
  '/docs',
  '/docs/',
  '/docs/guide',
  '/docs/guide.html?q=1',
  '/picture.png',
  '/data.json',
  '/unknown.thing',
  '/large.txt',
  '/%C3%A4%20%C3%B6.txt',
  '/%c3%a4%20%c3%b6.txt',
  '/assets/main-D4e5F6a7.css',
  '/empty.txt',
  '/old/guide?x=1',
  '/lang',
  '/app/anything',
  '/missing',
  '/docs/missing/',
  ...oddNames.map((name) => `/${encodeURIComponent(name)}`),
  '/_redirects',
  '/.env',
  '/node_modules/a/index.js',
  '/a%2Fb',
]
const requests: [string, Record<string, string>, string?][] = [
  ['GET', {}],
  ['GET, gzip', { 'accept-encoding': 'gzip' }],
  ['GET, a range', { range: 'bytes=1-4' }],
  ['GET in German', { 'accept-language': 'de' }],
  ['HEAD', { 'accept-encoding': 'gzip' }, 'HEAD'],
  ['OPTIONS', {}, 'OPTIONS'],
  ['PUT', {}, 'PUT'],
]

for (const [name, headers, method] of requests) {
  test.each(paths)(`${name} %s`, async (path) => {
    const previewed = await preview.visit(path, headers, method)
    const served = await visitSite(path, headers, method)
    expect(await factsOf(previewed)).toEqual(await factsOf(served))
  })
}

test('what is stored as it is has the same ETag, and that is good for a 304 at both', async () => {
  const etag = (await preview.visit('/picture.png')).headers.get('etag') ?? ''
  expect(etag).toMatch(/^"bafkrei[a-z2-7]{52}-[\w-]{22}"$/)
  expect((await visitSite('/picture.png')).headers.get('etag')).toBe(etag)
  for (const visit of [visitSite, preview.visit]) {
    expect((await visit('/picture.png', { 'if-none-match': etag })).status).toBe(304)
  }
})

const visitSite = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(site.slice(0, -1) + path, {
    ...{ method, headers: { 'accept-encoding': 'identity', ...headers } },
    ...{ redirect: 'manual' as const, decompress: false },
  })

/** Whose site it is, and when it was published; the tag of a compressed file is its server's, too. */
const ofPublished = ['date', 'etag', 'last-modified', 'x-sitehost-record', 'x-sitehost-version']

/** Who hosts the sites: a preview has no host. */
const footer = /<footer>Hosted by .*<\/footer>\n/

async function factsOf(answer: Response) {
  const headers = [...answer.headers].filter(([name]) => !ofPublished.includes(name))
  const names = [...answer.headers.keys()]
  const body = Buffer.from(await answer.bytes()).toString('latin1')
  const [ofHost = ''] = footer.exec(body) ?? []
  return {
    status: answer.status,
    headers: headers.map(([name, value]) =>
      name === 'content-length' ? [name, Number(value) - ofHost.length] : [name, value],
    ),
    names,
    body: body.replace(ofHost, ''),
  }
}
