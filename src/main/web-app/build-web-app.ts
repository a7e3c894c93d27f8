import { watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildMetafile, BunPlugin } from 'bun'
import {
  type Build,
  type BuildOptions,
  type BuiltFile,
  keptBuilds,
  keptResults,
  textOf,
} from '#main/build-cache/kept-builds.ts'
import { type Locale, locales } from '#site/locales.ts'
import { fontPaths } from '#site/own-pages/page-tokens.ts'
import { readPictures } from './public-files.ts'
import type { DocumentOfApp, WebApp } from './web-app.ts'
import { chunksOf, type PageModules, readLazyModules, sharedChunks } from './web-chunks.ts'

const webDir = fileURLToPath(new URL('../../../web', import.meta.url))

/** Every part of the app in every state, for whoever works on them. */
const styleguide = '/styleguide'

/** Served as they are: Bun (1.4.5) writes the bytes of what a style sheet names into it, unless these are external. */
const fontFiles: Readonly<Record<string, string>> = {
  [fontPaths.text]: '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2',
  [fontPaths.mono]: '@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2',
}

/**
 * Bundles `web/`: the app and, separately, the administrator's area, of which visitors of the app load nothing. Throws the
 * bundler's errors.
 */
export async function buildWebApp(hasStyleguide: boolean, keep = keptResults()): Promise<WebApp> {
  const build = keptBuilds(keep)
  const options = optionsOf(hasStyleguide)
  const [app, admin, fonts, pictures] = await Promise.all([
    bundleApp(options, build, hasStyleguide),
    bundle('admin/index.html', options, build),
    readFonts(),
    readPictures(),
  ])
  return {
    ...app,
    admin: admin.document,
    files: [...app.files, ...admin.files, ...fonts],
    pictures,
  }
}

/** The bundler's options of the app: its style sheet has the same names for the same classes. */
type Options = Omit<BuildOptions, 'entrypoints'>

/** The app: what its documents load, and what the document of each page in each language says that the page needs. */
async function bundleApp(options: Options, build: Build, hasStyleguide: boolean) {
  const lazy = await readLazyModules(webDir)
  const styled: Options = { ...options, plugins: [allStyles] }
  const split: Options = {
    ...options,
    metafile: true,
    minChunkSize: chunkSizeMin,
    plugins: [allStyles, sharedChunks(lazy)],
  }
  // Of workers of the app, which nothing starts there.
  const define = { ...options.define, 'import.meta.url': 'location.origin' }
  const [built, theme, prerender] = await Promise.all([
    bundle('index.html', split, build),
    bundleScript('theme-first.ts', { ...styled, format: 'iife' }, build),
    bundleScript('prerender.tsx', { ...styled, define }, build),
  ])
  const documentOf = (page: PageModules, locale: Locale): DocumentOfApp => {
    // English is part of the shell.
    const words = locale === 'en' ? [] : [join(webDir, `words/${locale}.ts`)]
    const scripts = chunksOf([...page.files, ...words], built.metafile)
    return { pattern: page.pattern, locale, isOwn: page.isOwn, scripts }
  }
  const sheet = built.files.find(({ path }) => path.endsWith('.css'))
  if (sheet === undefined) throw new Error('the app has no style sheet')
  const pages = lazy.pages.filter(({ pattern }) => hasStyleguide || pattern !== styleguide)
  return {
    shell: built.document,
    files: built.files.filter((file) => file !== sheet),
    style: textOf(sheet),
    theme: theme.trim(),
    prerender,
    documents: pages.flatMap((page) => locales.map((locale) => documentOf(page, locale))),
  }
}

/** Each chunk is a request: smaller ones become part of one that is loaded anyway. */
const chunkSizeMin = 16_384

export const optionsOf = (hasStyleguide: boolean): Options => ({
  target: 'browser',
  minify: true,
  splitting: true,
  sourcemap: 'none',
  publicPath: '/',
  env: 'disable',
  external: Object.keys(fontFiles),
  naming: {
    entry: '[name].[ext]',
    chunk: 'assets/[name]-[hash].[ext]',
    asset: 'assets/[name]-[hash].[ext]',
  },
  define: { 'process.env.NODE_ENV': '"production"', HAS_STYLEGUIDE: String(hasStyleguide) },
})

interface BuiltDocument {
  readonly document: BuiltFile
  readonly files: readonly BuiltFile[]
  readonly metafile: BuildMetafile
}

/** A document with what it loads. */
async function bundle(name: string, options: Options, build: Build): Promise<BuiltDocument> {
  const { files, metafile } = await build({ ...options, entrypoints: [join(webDir, name)] })
  const document = files.find(({ path }) => path.endsWith('.html'))
  if (document === undefined) throw new Error(`${name} has become no document`)
  const html = textOf(document)
  const loaded = files
    .filter((file) => file !== document)
    .map((file) => ({ ...file, path: file.path.replace(/^\./, '') }))
    // Of what is split off, the document's sheet has the styles, too (`allStyles`).
    .filter(({ path }) => !path.endsWith('.css') || html.includes(path))
  return { document, files: loaded, metafile }
}

async function bundleScript(name: string, options: Options, build: Build): Promise<string> {
  const entrypoints = [join(webDir, name)]
  const { files } = await build({ ...options, entrypoints, splitting: false })
  const script = files.find(({ isEntry }) => isEntry)
  if (script === undefined) throw new Error(`${name} has become no script`)
  return textOf(script)
}

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

const readFonts = (): Promise<BuiltFile[]> =>
  Promise.all(
    Object.entries(fontFiles).map(async ([path, name]): Promise<BuiltFile> => {
      const bytes = await Bun.file(Bun.resolveSync(name, webDir)).bytes()
      return { path, contentType: 'font/woff2', isEntry: false, bytes }
    }),
  )

/** Development only: calls back when a file of the app has changed. */
export const watchWebApp = (onChange: () => void) => watch(webDir, { recursive: true }, onChange)
