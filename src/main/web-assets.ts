import { watch } from 'node:fs'
import { join } from 'node:path'
import type { BuildMetafile, BunPlugin } from 'bun'
import { adminPage, documentKey } from '#api/app-pages.ts'
import { makeWebAsset, type WebAsset } from '#api/web-asset.ts'
import { escapeHtml } from '#http/escape-html.ts'
import type { Instance } from '#site/instance.ts'
import { type Locale, locales } from '#site/locales.ts'
import { fontPaths } from '#site/page-tokens.ts'
import { sections } from '#web/admin/sections.ts'
import type { OpenedInstance } from './instance.ts'
import { type Build, keptBuilds, textOf } from './kept-builds.ts'
import { type AppOptions, prerenderStart } from './prerender.ts'
import { publicFiles } from './public-files.ts'
import { chunksOf, type PageModules, readLazyModules, sharedChunks } from './web-chunks.ts'

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
  const documentOptions = { instance, hasStyleguide, isCodedLater, build: keptBuilds() }
  const [app, admin] = await Promise.all([bundleApp(documentOptions), bundleAdmin(documentOptions)])
  const files = await publicFiles(opened, Date.now())
  const assets = new Map([...app, ...admin, ...(await readFonts()), ...files])
  if (logo !== null && instance.logoPath !== null) assets.set(instance.logoPath, logo)
  return assets
}

interface DocumentOptions extends Required<BundleOptions> {
  readonly instance: Instance
  readonly build: Build
}

type Made = [path: string, WebAsset][]

/** The app: what its documents load, and a document of each page in each language, which says what the page needs. */
async function bundleApp(options: DocumentOptions): Promise<Made> {
  const { build, hasStyleguide, instance } = options
  const lazy = await readLazyModules(webDir)
  const common: AppOptions = { ...buildOptions(options), plugins: [allStyles] }
  const split: AppOptions = {
    ...common,
    metafile: true,
    minChunkSize: chunkSizeMin,
    plugins: [allStyles, sharedChunks(lazy)],
  }
  const [built, theme, starts] = await Promise.all([
    bundle('index.html', split, options),
    themeScript(common, build),
    startsOf(instance, common, build),
  ])
  const pages = lazy.pages.filter(({ pattern }) => hasStyleguide || pattern !== styleguide)
  const documentOf = async (page: PageModules, locale: Locale): Promise<[string, WebAsset]> => {
    // English is part of the shell.
    const words = locale === 'en' ? [] : [join(webDir, `words/${locale}.ts`)]
    const scripts = chunksOf([...page.files, ...words], built.metafile)
    const html = withLoads(built.html, { locale, theme, scripts, isOwn: page.isOwn })
    const start = page.pattern === '/' ? starts.get(locale) : undefined
    const document = await built.documentOf(
      start === undefined ? html : withStart(html, start),
      theme,
    )
    return [documentKey(page.pattern, locale), document]
  }
  const documents = pages.flatMap((page) => locales.map((locale) => documentOf(page, locale)))
  return [...built.files, ...(await Promise.all(documents))]
}

/** Shows the chosen theme before anything is painted: in the document, since a request of its own would delay the page. */
async function themeScript(options: AppOptions, build: Build): Promise<string> {
  const { files } = await build({
    ...options,
    entrypoints: [join(webDir, 'theme-first.ts')],
    splitting: false,
    format: 'iife',
  })
  const [script] = files
  if (script === undefined) throw new Error('the theme has no script')
  return textOf(script).trim()
}

/** The administrator's area: one document, at the path of each of its pages. */
async function bundleAdmin(options: DocumentOptions): Promise<Made> {
  const built = await bundle('admin/index.html', buildOptions(options), options)
  const document = await built.documentOf(built.html)
  return [...built.files, ...adminPages.map((path): [string, WebAsset] => [path, document])]
}

/** Each chunk is a request: smaller ones become part of one that is loaded anyway. */
const chunkSizeMin = 16_384

const buildOptions = ({ hasStyleguide }: DocumentOptions): AppOptions => ({
  target: 'browser',
  minify: true,
  splitting: true,
  sourcemap: 'none',
  publicPath: '/',
  env: 'disable',
  external: Object.keys(fonts),
  naming: {
    entry: '[name].[ext]',
    chunk: 'assets/[name]-[hash].[ext]',
    asset: 'assets/[name]-[hash].[ext]',
  },
  define: { 'process.env.NODE_ENV': '"production"', HAS_STYLEGUIDE: String(hasStyleguide) },
})

interface Built {
  /** Scripts, style sheets and the like. */
  readonly files: Made
  /** The document, with the instance in it. */
  readonly html: string
  readonly documentOf: (html: string, inlineScript?: string) => Promise<WebAsset>
  readonly metafile: BuildMetafile
}

async function bundle(
  document: string,
  options: AppOptions,
  { build, instance, isCodedLater }: DocumentOptions,
): Promise<Built> {
  const entrypoints = [join(webDir, document)]
  const { files, metafile } = await build({ ...options, entrypoints })
  const page = files.find(({ path }) => path.endsWith('.html'))
  const html = page === undefined ? '' : textOf(page)
  const made = files.map(async (file): Promise<Made> => {
    const { bytes, contentType } = file
    const path = file.path.replace(/^\./, '')
    // Of what is split off, the document's sheet has the styles, too (`allStyles`).
    if (file === page || (path.endsWith('.css') && !html.includes(path))) return []
    return [[path, await makeWebAsset(bytes, { contentType, isCodedLater, isImmutable: true })]]
  })
  return {
    files: (await Promise.all(made)).flat(),
    html: pageOf(html, instance),
    documentOf: (html, inlineScript) =>
      makeWebAsset(html, {
        contentType: page?.contentType ?? '',
        isCodedLater,
        ...(inlineScript !== undefined && { inlineScript }),
      }),
    metafile,
  }
}

/** What the shell asks on each page of an account (`web/server/queries.ts`): asked while its scripts are loaded. */
const ownAnswers = ['/api/user/info', '/api/user/sites']

interface DocumentLoads {
  readonly locale: Locale
  /** The script that shows the chosen theme. */
  readonly theme: string
  readonly scripts: readonly string[]
  readonly isOwn: boolean
}

/**
 * The document in a language, with links for what its page needs, which is then loaded together with the shell. Pages of an
 * account have no text before their scripts, which the font would only delay: it is loaded for the first text.
 */
function withLoads(html: string, { locale, theme, scripts, isOwn }: DocumentLoads): string {
  const missing = scripts.filter((path) => !html.includes(`"${path}"`))
  const answers = isOwn ? ownAnswers : []
  const links = [
    ...missing.map((path) => `<link rel="modulepreload" crossorigin href="${path}">`),
    ...answers.map((path) => `<link rel="preload" as="fetch" crossorigin href="${path}">`),
  ]
  return new HTMLRewriter()
    .on('link[as="font"]', { element: (link) => void (isOwn && link.remove()) })
    .on('html', { element: (root) => void root.setAttribute('lang', locale) })
    .on('title', {
      element: (title) => void title.before(`<script>${theme}</script>`, { html: true }),
    })
    .on('head', { element: (head) => void head.append(links.join(''), { html: true }) })
    .transform(html)
}

/** Empty if it cannot be drawn: the app draws it then. */
async function startsOf(
  instance: Instance,
  options: AppOptions,
  build: Build,
): Promise<ReadonlyMap<Locale, string>> {
  try {
    return await prerenderStart(webDir, instance, options, build)
  } catch (error) {
    console.error(error)
    return new Map()
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
