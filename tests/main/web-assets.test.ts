import { describe, expect, test } from 'bun:test'
import { bundleWebAssets } from '#main/web-assets.ts'

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

describe('the start page', () => {
  test('is in its document as the app draws it first, with the classes of its style sheet', async () => {
    const assets = await bundled()
    const html = assets.get('/') ?? ''
    expect(html).toMatch(/<h1[ >]/)
    expect(html).toMatch(/<form[^>]* action="\/api\/auth\/login"/)
    expect(html).not.toContain('<noscript')
    const [sheet = ''] = linksOf(assets, '/').filter((path) => path.endsWith('.css'))
    const style = assets.get(sheet) ?? ''
    const classes = [...html.matchAll(/ class="([^"]*)"/g)].flatMap(([, names = '']) =>
      names.split(' '),
    )
    const drawn = classes.filter((name) => /_\S{6}$/.test(name))
    expect(drawn.length).toBeGreaterThan(10)
    expect(drawn.filter((name) => !style.includes(`.${name}`))).toEqual([])
  })

  test('is in no other document', async () => {
    const assets = await bundled()
    expect(assets.get('/editor')).toContain('<div id="app"></div>')
    expect(linksOf(assets, '/editor')).toEqual(linksOf(assets, '/'))
  })
})

/** Path → text, as the service sends them. */
async function bundled(): Promise<Map<string, string>> {
  const assets = await bundleWebAssets({ instance: plainInstance, logo: null })
  const texts = [...assets].map(async ([path, { body }]) => [path, await body.text()] as const)
  return new Map(await Promise.all(texts))
}

/** What the document loads by itself. */
const linksOf = (assets: ReadonlyMap<string, string>, page: string): string[] =>
  [...(assets.get(page) ?? '').matchAll(/(?:src|href)="(\/assets[^"]*)"/g)].map(
    ([, path]) => path ?? '',
  )

const plainInstance = {
  name: 'Sitehost',
  origin: 'https://sitehost.example',
  contact: null,
  termsUrl: null,
  privacyUrl: null,
  frontPageText: [],
  logoPath: null,
}
