import { watch } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { adminPage, appPage } from '#api/app-pages.ts'
import { makeWebAsset, type WebAsset } from '#api/web-asset.ts'
import { escapeHtml } from '#http/escape-html.ts'
import type { Instance } from '#site/instance.ts'
import { fontPaths } from '#site/page-tokens.ts'
import { sections } from '#web/admin/sections.ts'
import type { OpenedInstance } from './instance.ts'
import { type AppOptions, prerenderStart } from './prerender.ts'
import { publicFiles } from './public-files.ts'

const webDir = new URL('../../web', import.meta.url).pathname

/** Every part of the app in every state, for whoever works on them. */
const styleguide = '/styleguide'

/** Served as they are: Bun (1.4.5) writes the bytes of what a style sheet names into it, unless it is told not to look. */
const fonts: Readonly<Record<string, string>> = {
  [fontPaths.text]: '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2',
  [fontPaths.mono]: '@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2',
}

const adminPages = [adminPage, ...sections.map(({ href }) => href)]

interface BundleOptions {
  /** With the page `/styleguide`. */
  readonly hasStyleguide?: boolean
  /** Compresses each file for its first request: to compress all takes a second of processor time. */
  readonly isCodedLater?: boolean
}

/**
 * Bundles `web/` into memory and compresses it, unless that is for later, for this instance: the app, and by itself the administrator's area, of which visitors of the
 * app load nothing. Throws the bundler's errors.
 */
export async function bundleWebAssets(
  opened: OpenedInstance,
  { hasStyleguide = false, isCodedLater = false }: BundleOptions = {},
): Promise<Map<string, WebAsset>> {
  const { instance, logo } = opened
  const documentOptions = { instance, hasStyleguide, isCodedLater }
  const [app, admin] = await Promise.all([
    bundle('index.html', hasStyleguide ? [appPage, styleguide] : [appPage], documentOptions),
    bundle('admin/index.html', adminPages, documentOptions),
  ])
  const files = await publicFiles(opened, Date.now())
  const assets = new Map([...app, ...admin, ...(await readFonts()), ...files])
  if (logo !== null && instance.logoPath !== null) assets.set(instance.logoPath, logo)
  return assets
}

interface DocumentOptions extends Required<BundleOptions> {
  readonly instance: Instance
}

/** What one document needs; the document itself at each of `paths`. */
async function bundle(
  document: string,
  paths: readonly string[],
  { instance, hasStyleguide, isCodedLater }: DocumentOptions,
): Promise<[path: string, WebAsset][]> {
  const options: AppOptions = {
    target: 'browser',
    minify: true,
    splitting: true,
    sourcemap: 'none',
    publicPath: '/',
    env: 'disable',
    external: Object.keys(fonts),
    plugins: [allStyles],
    naming: {
      entry: '[name].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
    define: { 'process.env.NODE_ENV': '"production"', HAS_STYLEGUIDE: String(hasStyleguide) },
  }
  const [{ outputs }, start] = await Promise.all([
    Bun.build({ ...options, entrypoints: [join(webDir, document)] }),
    paths.includes(appPage) ? startOf(instance, options) : '',
  ])
  const pages = outputs.filter(({ path }) => path.endsWith('.html'))
  const html = (await Promise.all(pages.map((page) => page.text()))).join('')
  const made = outputs.map(async (output): Promise<[string, WebAsset][]> => {
    const { type: contentType } = output
    const path = output.path.replace(/^\./, '')
    if (path.endsWith('.html')) {
      const html = pageOf(await output.text(), instance)
      const kind = { contentType, isCodedLater }
      const page = await makeWebAsset(html, kind)
      const same = paths.map((at): [string, WebAsset] => [at, page])
      if (start === '') return paths.includes(appPage) ? [...same, ['/', page]] : same
      return [...same, ['/', await makeWebAsset(withStart(html, start), kind)]]
    }
    // Of what is split off; the document's sheet has it, too (`allStyles`).
    if (path.endsWith('.css') && !html.includes(path)) return []
    const bytes = new Uint8Array(await output.arrayBuffer())
    return [[path, await makeWebAsset(bytes, { contentType, isCodedLater, isImmutable: true })]]
  })
  return (await Promise.all(made)).flat()
}

/** Empty if it cannot be drawn: the app draws it then. */
async function startOf(instance: Instance, options: AppOptions): Promise<string> {
  try {
    return await prerenderStart(webDir, instance, options)
  } catch (error) {
    console.error(error)
    return ''
  }
}

/** The document with the start page in it, whose form works without scripts, too. */
const withStart = (html: string, start: string): string =>
  new HTMLRewriter()
    .on('#app', { element: (app) => void app.setInnerContent(start, { html: true }) })
    .on('noscript', { element: (note) => void note.remove() })
    .transform(html)

/**
 * The app's one style sheet has the styles of all its pages: Bun (1.4.5) does not load those of what it splits off. Those of
 * the parts come first, so that a page can place them.
 */
const allStyles: BunPlugin = {
  name: 'all-styles',
  setup(build) {
    build.onLoad({ filter: /\/web\/app\.tsx$/ }, async ({ path }) => {
      const styles = new Bun.Glob('**/*.module.css').scan(webDir)
      const sheets = (await Array.fromAsync(styles)).filter((sheet) => !sheet.startsWith('admin/'))
      const isPart = (sheet: string): number => Number(sheet.startsWith('parts/'))
      const sorted = sheets.toSorted((a, b) => isPart(b) - isPart(a) || a.localeCompare(b))
      const imports = sorted.map((sheet) => `import '#web/${sheet}'\n`).join('')
      return { contents: imports + (await Bun.file(path).text()), loader: 'tsx' }
    })
  },
}

const readFonts = (): Promise<[path: string, WebAsset][]> =>
  Promise.all(
    Object.entries(fonts).map(async ([path, name]): Promise<[string, WebAsset]> => {
      const bytes = await Bun.file(new URL(import.meta.resolve(name))).bytes()
      return [path, await makeWebAsset(bytes, { contentType: 'font/woff2', isImmutable: true })]
    }),
  )

/** The document with the instance in it: its name and address, and all of it for the script (`web/server/instance.ts`). */
function pageOf(html: string, instance: Instance): string {
  const { logoPath, name, origin } = instance
  // HTMLRewriter escapes only the quotes of an attribute's value (Bun 1.4.5).
  const data = JSON.stringify(instance).replace(/[<>&]/g, jsonEscape)
  const set = (attribute: string, value: string) => ({
    element: (element: HTMLRewriterTypes.Element) => void element.setAttribute(attribute, value),
  })
  return new HTMLRewriter()
    .on('title', { element: (title) => void title.setInnerContent(name) })
    .on('meta[property="og:site_name"]', set('content', escapeHtml(name)))
    .on('meta[property="og:url"]', set('content', `${origin}/`))
    .on('meta[property="og:image"]', set('content', `${origin}/social-card.png`))
    .on('link[rel="icon"]', {
      element: (link) => {
        if (logoPath === null) return
        link.setAttribute('href', logoPath)
        link.removeAttribute('type')
      },
    })
    .on('head', {
      element: (head) => {
        head.prepend(
          `<link rel="preload" as="font" type="font/woff2" href="${fontPaths.text}" crossorigin>`,
          { html: true },
        )
        // Not in the document's source: the bundler would look for the files.
        head.append(
          `<link rel="apple-touch-icon" href="${logoPath ?? '/apple-touch-icon.png'}">` +
            '<link rel="manifest" href="/site.webmanifest">',
          { html: true },
        )
      },
    })
    .on('meta[name=instance]', { element: (meta) => void meta.setAttribute('content', data) })
    .transform(html)
}

const jsonEscape = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Development only: bundles `web/` again when it changes; keeps the last bundle if that fails. */
export function reloadWebAssets(assets: Map<string, unknown>, opened: OpenedInstance) {
  return watch(webDir, { recursive: true }, () => {
    void bundleWebAssets(opened, { hasStyleguide: true, isCodedLater: true }).then(
      (fresh) => {
        assets.clear()
        for (const [path, asset] of fresh) assets.set(path, asset)
      },
      (error) => console.error(error),
    )
  })
}
