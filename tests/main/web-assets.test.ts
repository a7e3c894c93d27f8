import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Site } from '#api/contract/client.ts'
import type { Keep } from '#main/build-cache/kept-builds.ts'
import { prerenderStart } from '#main/web-app/prerender.ts'
import { openWebAssets } from '#main/web-app/web-assets.ts'
import { plainInstance } from '#tests/support/plain-instance.ts'

describe('the administrator’s area', () => {
  const scriptsOf = (assets: Awaited<ReturnType<typeof bundled>>, page: string) =>
    linksOf(assets, page).map((path) => assets.get(path) ?? '')

  test('is a bundle of its own: visitors of the app load nothing of it', async () => {
    const assets = await bundled()
    const app = scriptsOf(assets, '/').join()
    expect(app).toContain('POST /api/auth/signin')
    expect(app.match(/.{20}(?:\/api\/admin|uplot|\/admin\/logs).{20}/g)).toBeNull()
    const shared = linksOf(assets, '/').filter((path) => linksOf(assets, '/admin').includes(path))
    expect(shared.filter((path) => path.endsWith('.js') || path.endsWith('.css'))).toEqual([])
  })

  test('is at the path of each of its pages', async () => {
    const assets = await bundled()
    const paths = [...assets.keys()].filter((path) => path.startsWith('/admin'))
    expect(paths).toContain('/admin/logs')
    expect(new Set(paths.map((path) => assets.get(path)))).toEqual(new Set([assets.get('/admin')]))
  })

  test('loads what draws charts only when there is a chart', async () => {
    const assets = await bundled()
    const scripts = linksOf(assets, '/admin').filter((path) => path.endsWith('.js'))
    const area = scripts.map((path) => assets.get(path) ?? '').join()
    expect(area).toContain('POST /api/admin/login')
    expect(area.includes('u-over')).toBe(false)
    const lazy = [...assets].filter(
      ([path, text]) => path.endsWith('.js') && text.includes('u-over'),
    )
    expect(lazy).toHaveLength(1)
  })
})

test('are compressed once, for all starts', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'web-assets-'))
  process.env['CACHE_DIRECTORY'] = cache
  const opened = async () => {
    const assets = await openWebAssets({ instance: plainInstance, logo: null })
    const forms = [...assets].map(async ([path, { coded }]) => [path, [...(await coded()).keys()]])
    const folder = join(cache, 'sitehost')
    const kept = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).ino)
    return { forms: await Promise.all(forms), kept: await Promise.all(kept) }
  }
  try {
    const first = await opened()
    expect(first.forms).toContainEqual(['/', ['br', 'gzip']])
    // What is made again is another file.
    expect(await opened()).toEqual(first)
  } finally {
    delete process.env['CACHE_DIRECTORY']
    await rm(cache, { recursive: true })
  }
})

describe('the start page', () => {
  test('is in its document as the app draws it first, with its styles: it is painted without another request', async () => {
    const assets = await bundled()
    const html = assets.get('/') ?? ''
    expect(html).toMatch(/<h1[ >]/)
    expect(html).toMatch(/<form[^>]* action="\/api\/auth\/login"/)
    expect(html).not.toContain('<noscript')
    expect(html).not.toContain('rel="stylesheet"')
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? []
    const classes = [...html.matchAll(/ class="([^"]*)"/g)].flatMap(([, names = '']) =>
      names.split(' '),
    )
    const drawn = classes.filter((name) => /_\S{6}$/.test(name))
    expect(drawn.length).toBeGreaterThan(10)
    expect(drawn.filter((name) => !style.includes(`.${name}`))).toEqual([])
  })

  test('is there in German, too', async () => {
    const html = (await bundled()).get('/ de') ?? ''
    expect(html).toContain('<html lang="de">')
    expect(html).toContain('Deine Website')
    expect(html).toMatch(/<meta property="og:title" content="Deine Website[^"]+"/)
    expect(html).toMatch(/<meta name="description" content="[^"]+ Ordner [^"]+"/)
    expect((await bundled()).get('/editor de')).toMatch(
      /<noscript>[\s\S]*Anmelden[\s\S]*<\/noscript>/,
    )
    const words = [...html.matchAll(/rel="modulepreload"[^>]*href="([^"]*)"/g)]
    expect(words.filter(([, path]) => path?.includes('/de-'))).toHaveLength(1)
  })

  test('does not depend on the address of the service: it is drawn once for an instance', async () => {
    expect((await bundled()).get('/')).not.toContain('origin.invalid')
    const questions = new Set<string>()
    const keep: Keep = async (question) => {
      questions.add(question)
      return new Map() as never
    }
    for (const changed of [{}, { origin: 'https://other.example' }, { name: 'Other' }]) {
      await prerenderStart('', { ...plainInstance, ...changed }, keep)
    }
    expect(questions.size).toBe(2)
  })

  test('is in no other document', async () => {
    const assets = await bundled()
    expect(assets.get('/editor')).toContain('<div id="app"></div>')
  })
})

describe('a page of an account', () => {
  const answersOf = (handle: string, ...names: string[]) => {
    const sites = names.map((displayName, at) => ({
      ...plainSite,
      displayName,
      rkey: `site-${at}`,
    }))
    return JSON.stringify({ user: { did: `did:plc:${handle}`, handle }, sites: { sites } })
  }
  const drawn = async (path: string, answers: string, pattern = path) =>
    (await (await assetsOf()).get(pattern)?.draw?.({ path, answers })) ?? ''

  test('is drawn into its document from the answers that it has: it asks for none of them', async () => {
    const html = await drawn('/editor', answersOf('alice.test', 'Garden'))
    expect(html).toMatch(/<div id="app"><.*Garden.*<\/div><script id="answers"/)
    expect(html).not.toContain('as="fetch"')
    expect((await bundled()).get('/editor')).toContain('as="fetch"')
    const site = await drawn('/sites/site-0', answersOf('alice.test', 'Garden'), '/sites/:rkey')
    expect(site).toMatch(/<h1[^>]*>Garden<\/h1>/)
    expect(await drawn('/editor', answersOf('alice.test', 'Garden'), '/editor de')).toContain(
      'Deine Websites',
    )
  })

  test('has nothing of the account whose page was drawn before, or is drawn meanwhile', async () => {
    const [alices, bobs] = await Promise.all([
      drawn('/editor', answersOf('alice.test', 'Garden')),
      drawn('/editor', answersOf('bob.test', 'Kitchen')),
    ])
    const carols = await drawn('/editor', answersOf('carol.test'))
    const found = (html: string) => html.match(/Garden|alice|Kitchen|bob/g) ?? []
    expect(new Set(found(alices))).toEqual(new Set(['Garden', 'alice']))
    expect(new Set(found(bobs))).toEqual(new Set(['Kitchen', 'bob']))
    expect(found(carols)).toEqual([])
  })

  test('leaves no port open, which would keep the app that has drawn it in memory', async () => {
    const ports = async (): Promise<number> => {
      await new Promise(setImmediate)
      Bun.gc(true)
      return heapStats().objectTypeCounts['MessagePort'] ?? 0
    }
    const draw = () => drawn('/editor', answersOf('alice.test', 'Garden'))
    await draw()
    const before = await ports()
    for (let n = 0; n < 20; n += 1) await draw()
    expect((await ports()) - before).toBeLessThan(20)
  })

  test('is not sent without what could not be drawn: that is an error', async () => {
    const answers = answersOf('alice.test', 'Garden').replace('"domains":[]', '"domains":null')
    await expect(drawn('/sites/site-0', answers, '/sites/:rkey')).rejects.toThrow(TypeError)
  })

  test('stays whole, whatever a site is called', async () => {
    const name = '</script><script>alert(1)</script><!-- $& $\' & "'
    const html = await drawn('/editor', answersOf('alice.test', name))
    expect(html).not.toContain('<script>alert')
    expect(html.split('</script>')).toHaveLength(
      (await drawn('/editor', answersOf('alice.test', 'Garden'))).split('</script>').length,
    )
    const [, json = ''] = /<script id="answers"[^>]*>([^<]*)<\/script>/.exec(html) ?? []
    expect(JSON.parse(json).sites.sites[0].displayName).toBe(name)
  })
})

test('the theme is chosen by a script in the document, which its content security policy names by its hash, as its styles', async () => {
  const document = (await assetsOf()).get('/editor')
  const html = (await document?.body.text()) ?? ''
  const inline = [...html.matchAll(/<script>([^<]*)<\/script>/g)].map(([, script = '']) => script)
  expect(inline).toEqual([expect.stringContaining('localStorage')])
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? []
  const hashOf = (text = '') =>
    `sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}`
  expect(document).toMatchObject({ scriptHash: hashOf(inline[0]), styleHash: hashOf(style) })
})

describe('the scripts of a page', () => {
  const kB = 1000
  /** `later`: what it loads without being asked, once it is drawn. */
  const pages: readonly (readonly [
    path: string,
    chunk: string,
    later: readonly string[],
    bytesMax: number,
  ])[] = [
    ['/', 'start-page', ['kept-drop'], 85 * kB],
    ['/onboarding', 'onboarding-page', ['kept-drop'], 110 * kB],
    ['/editor', 'sites-page', [], 110 * kB],
    ['/sites/:rkey', 'overview-page', ['explain-address'], 110 * kB],
    ['/sites/:rkey/files', 'files-page', ['explain-address'], 110 * kB],
    ['/sites/:rkey/versions', 'versions-page', [], 110 * kB],
    ['/sites/:rkey/domains', 'domains-page', [], 110 * kB],
    ['/sites/:rkey/visits', 'visits-page', [], 110 * kB],
    ['/sites/:rkey/settings', 'settings-page', ['from-ci', 'danger-zone'], 110 * kB],
    ['/account', 'account-page', [], 110 * kB],
    ['*', 'not-found-page', [], 85 * kB],
  ]

  test.each(pages)(
    '%p: all are in its document, and no more than it may have',
    async (path, chunk, later, bytesMax) => {
      const made = await assetsOf()
      const html = (await made.get(path)?.body.text()) ?? ''
      const scripts = [...html.matchAll(/"(\/[^"]*\.js)"/g)].map(([, script = '']) => script)
      expect(scripts.filter((script) => script.includes(`/${chunk}-`))).toHaveLength(1)
      // Each is a request.
      expect(scripts.length).toBeLessThanOrEqual(6)
      const importedBy = async (paths: readonly string[]): Promise<string[]> => {
        const texts = await Promise.all(paths.map((each) => made.get(each)?.body.text() ?? ''))
        const imports = texts.join().matchAll(/(?:from|import)"(\/[^"]*)"/g)
        return [...imports].map(([, other = '']) => other)
      }
      expect((await importedBy(scripts)).filter((script) => !scripts.includes(script))).toEqual([])
      const addedLater = [...made.keys()].filter((each) =>
        later.some((name) => each.includes(`/${name}-`)),
      )
      expect(addedLater).toHaveLength(later.length)
      const all = new Set([...scripts, ...addedLater, ...(await importedBy(addedLater))])
      const sizes = await Promise.all(
        [...all].map(async (each) => (await made.get(each)?.coded())?.get('br')?.size ?? 0),
      )
      expect(Math.min(...sizes)).toBeGreaterThan(0)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(bytesMax)
    },
  )

  test('are made for every page that the app has', async () => {
    const made = await assetsOf()
    const known = new Set(pages.map(([path]) => path))
    const documents = [...made].filter(([, { contentType }]) => contentType.startsWith('text/html'))
    const others = documents.map(([path]) => path).filter((path) => !known.has(path))
    const ofApp = others.filter((path) => !path.startsWith('/admin') && !path.endsWith(' de'))
    expect(ofApp).toEqual(['/names'])
  })
})

let made: ReturnType<typeof openWebAssets> | null = null

/** Bundled once. */
const assetsOf = () => {
  made ??= openWebAssets({ instance: plainInstance, logo: null })
  return made
}

/** Path → text, as the service sends them. */
async function bundled(): Promise<Map<string, string>> {
  const assets = await assetsOf()
  const texts = [...assets].map(async ([path, { body }]) => [path, await body.text()] as const)
  return new Map(await Promise.all(texts))
}

/** What the document loads. */
const linksOf = (assets: ReadonlyMap<string, string>, page: string): string[] =>
  [...(assets.get(page) ?? '').matchAll(/(?:src|href)="(\/assets[^"]*)"/g)].map(
    ([, path]) => path ?? '',
  )

const plainSite: Site = {
  rkey: 'site',
  displayName: '',
  createdAt: '2026-01-01T00:00:00.000Z',
  uri: 'at://did:plc:someone/place.sitehost.fs/site',
  url: 'https://sitehost.example/s/site',
  cid: null,
  fileCount: 1,
  bytes: 1,
  publishedAt: null,
  updatedAt: '2026-01-01T00:00:00.000Z',
  verifiedAt: null,
  state: 'live',
  problems: [],
  domains: [],
  primary: null,
  today: { requests: 0, refused: 0, bytes: { used: 0, max: null }, warning: null },
}
