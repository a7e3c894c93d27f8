import { adminPage, documentKey } from '#api/app-pages.ts'
import {
  type CodedBytes,
  codedText,
  type DrawOwnPage,
  isText,
  makeWebAsset,
  type WebAsset,
} from '#api/web-asset.ts'
import { escapeHtml } from '#http/escape-html.ts'
import {
  type BuiltFile,
  hashOf,
  type Keep,
  keptResults,
  textOf,
} from '#main/build-cache/kept-builds.ts'
import type { OpenedInstance } from '#main/instance.ts'
import type { Instance } from '#site/instance.ts'
import type { Locale } from '#site/locales.ts'
import { fontPaths } from '#site/own-pages/page-tokens.ts'
import { sections } from '#web/admin/sections.ts'
import { start as germanStart } from '#web/words/de/start.ts'
import { start as englishStart } from '#web/words/en/start.ts'
import { openWebApp } from './open-web-app.ts'
import { pageDrawer, prerenderStart } from './prerender.ts'
import { publicFiles } from './public-files.ts'
import type { DocumentOfApp, FileOfApp, WebApp } from './web-app.ts'

const adminPages = [adminPage, ...sections.map(({ href }) => href)]

interface AssetOptions {
  /** With the page `/styleguide`. */
  readonly hasStyleguide?: boolean
  /** Compresses each file for its first request: to compress all takes a second of processor time. */
  readonly isCodedLater?: boolean
}

/** The web app's files in memory, for this instance, compressed unless that is for later. Throws the bundler's errors. */
export async function openWebAssets(
  opened: OpenedInstance,
  { hasStyleguide = false, isCodedLater = false }: AssetOptions = {},
): Promise<Map<string, WebAsset>> {
  const { instance, logo } = opened
  // A binary has no sources, by which results are kept.
  const keep: Keep = Bun.isStandaloneExecutable ? (_, make) => make() : keptResults()
  const app = await openWebApp(hasStyleguide, keep)
  const starts = await startsOf(app.prerender, instance, keep)
  const fileOf = async ({ bytes, path, ...kind }: FileOfApp): Promise<Made> => [
    path,
    await makeWebAsset(bytes, { ...kind, isCodedLater, isImmutable: true }),
  ]
  const appFiles = isCodedLater ? app.files : await codedFiles(app, keep)
  const [files, documents, admin, others] = await Promise.all([
    Promise.all(appFiles.map(fileOf)),
    documentsOf(app, starts, instance, isCodedLater ? null : keep),
    makeWebAsset(pageOf(app.admin, instance), { ...app.admin, isCodedLater }),
    publicFiles(opened, app.pictures, Date.now()),
  ])
  const adminDocuments = adminPages.map((path): Made => [path, admin])
  const assets = new Map([...files, ...documents, ...adminDocuments, ...others])
  if (logo !== null && instance.logoPath !== null) assets.set(instance.logoPath, logo)
  return assets
}

type Contents = readonly (string | Uint8Array)[]

/** To compress the app takes four seconds of processor time: not at each start. */
const keptCodings = (keep: Keep, contents: Contents): Promise<CodedBytes[]> =>
  keep(`compressed: ${hashOf(...contents)}`, () => Promise.all(contents.map(codedText)))

async function codedFiles({ files }: WebApp, keep: Keep): Promise<FileOfApp[]> {
  const uncoded = files.filter((file) => file.coded === undefined && isText(file.contentType))
  const codings = await keptCodings(
    keep,
    uncoded.map(({ bytes }) => bytes),
  )
  const codedOf = new Map(uncoded.map(({ path }, index) => [path, codings[index]]))
  return files.map((file) => ({ ...file, coded: file.coded ?? codedOf.get(file.path) }))
}

type Made = [path: string, WebAsset]

/** A document of each page in each language, which says what the page needs. */
async function documentsOf(
  { documents, prerender, shell, style, theme }: WebApp,
  starts: ReadonlyMap<Locale, string>,
  instance: Instance,
  keep: Keep | null,
): Promise<Made[]> {
  const { contentType } = shell
  const html = withStyle(pageOf(shell, instance), style)
  const drawPage = pageDrawer(prerender)
  const contents = documents.map((page) => {
    const start = page.pattern === '/' ? starts.get(page.locale) : undefined
    const loading = withLoads(html, theme, page)
    return start === undefined ? loading : withStart(loading, start)
  })
  const codings = keep === null ? null : await keptCodings(keep, contents)
  return await Promise.all(
    documents.map(async ({ isOwn, locale, pattern }, index): Promise<Made> => {
      const document = await makeWebAsset(contents[index] ?? '', {
        ...{ contentType, inlineScript: theme, inlineStyle: style },
        ...{ coded: codings?.[index], isCodedLater: codings === null },
      })
      const draw: DrawOwnPage = async ({ answers, path }) => {
        const drawn = await drawPage({ instance, locale, path, answers })
        return withOwnPage(await document.body.text(), drawn, answers)
      }
      return [documentKey(pattern, locale), isOwn ? { ...document, draw } : document]
    }),
  )
}

/**
 * The document of a page of an account with that page in it, and what it was drawn from, which the app does not ask again. It
 * is painted before its scripts are there.
 */
export function withOwnPage(html: string, page: string, answers: string): string {
  const data = answers.replace(/[<>&]/g, jsonEscape)
  return html
    .replaceAll(linkOfAnswer, '')
    .replace(
      emptyApp,
      () =>
        `<div id="app">${page}</div><script id="answers" type="application/json">${data}</script>`,
    )
}

const emptyApp = '<div id="app"></div>'

/** What the shell asks on each page of an account (`web/server/queries.ts`): asked while its scripts are loaded. */
const ownAnswers = ['/api/user/info', '/api/user/sites']

const linkOfAnswer = /<link rel="preload" as="fetch" [^>]*>/g

/**
 * The document in a language, with links for what its page needs, which is then loaded together with the shell. Pages of an
 * account have no text before their scripts, which the font would only delay: it is loaded for the first text.
 */
function withLoads(html: string, theme: string, { isOwn, locale, scripts }: DocumentOfApp): string {
  const { lead, title: headline } = startOf[locale]
  const missing = scripts.filter((path) => !html.includes(`"${path}"`))
  const answers = isOwn ? ownAnswers : []
  const links = [
    ...missing.map((path) => `<link rel="modulepreload" crossorigin href="${path}">`),
    ...answers.map((path) => `<link rel="preload" as="fetch" crossorigin href="${path}">`),
  ]
  return new HTMLRewriter()
    .on('meta[name="description"]', contentOf(lead))
    .on('meta[property="og:title"]', contentOf(headline))
    .on('meta[property="og:description"]', contentOf(lead))
    .on('meta[property="og:image:alt"]', contentOf(headline))
    .on('meta[property="og:locale"]', contentOf(locale))
    .on('noscript', {
      element: (note) => void note.setInnerContent(withoutScriptOf(locale), { html: true }),
    })
    .on('link[as="font"]', { element: (link) => void (isOwn && link.remove()) })
    .on('html', { element: (root) => void root.setAttribute('lang', locale) })
    .on('title', {
      element: (title) => void title.before(`<script>${theme}</script>`, { html: true }),
    })
    .on('head', { element: (head) => void head.append(links.join(''), { html: true }) })
    .transform(html)
}

/** What the document says before the app is there: to search engines, where its address is posted, and without scripts. */
const startOf = { en: englishStart, de: germanStart } as const satisfies Record<Locale, unknown>

/** Signs in without scripts. HTMLRewriter has what is in `noscript` as text only. */
function withoutScriptOf(locale: Locale): string {
  const { label, submit, text, title } = startOf[locale].withoutScript
  return `<main class="without-script">
  <h1>${title}</h1>
  <form method="get" action="/api/auth/login">
    <label for="handle-without-script">${label}</label>
    <input id="handle-without-script" name="handle" autocomplete="username" required>
    <button type="submit">${submit}</button>
  </form>
  <p>${text}</p>
</main>`
}

// HTMLRewriter escapes only the quotes of an attribute's value (Bun 1.4.5).
const contentOf = (text: string) => ({
  element: (meta: HTMLRewriterTypes.Element) => void meta.setAttribute('content', escapeHtml(text)),
})

/** Empty if it cannot be drawn: the app draws it then. */
async function startsOf(
  script: string,
  instance: Instance,
  keep: Keep,
): Promise<ReadonlyMap<Locale, string>> {
  try {
    return await prerenderStart(script, instance, keep)
  } catch (error) {
    console.error(error)
    return new Map()
  }
}

/**
 * The document with the app's style sheet in it, 10 kB as sent by Brotli and 11 by gzip. In a file of its own, nothing of the start page is painted
 * before a second answer, which shares a phone's network with 80 kB of script.
 */
const withStyle = (html: string, style: string): string =>
  new HTMLRewriter()
    .on('link[rel="stylesheet"]', {
      element: (link) => void link.replace(`<style>${style}</style>`, { html: true }),
    })
    .transform(html)

/** The document with the start page in it, whose form works without scripts, too. */
const withStart = (html: string, start: string): string =>
  new HTMLRewriter()
    .on('#app', { element: (app) => void app.setInnerContent(start, { html: true }) })
    .on('noscript', { element: (note) => void note.remove() })
    .transform(html)

/** The document with the instance in it: its name and address, and all of it for the script (`web/server/instance.ts`). */
function pageOf(document: BuiltFile, instance: Instance): string {
  const { logoPath, name, origin } = instance
  const data = JSON.stringify(instance).replace(/[<>&]/g, jsonEscape)
  return new HTMLRewriter()
    .on('title', { element: (title) => void title.setInnerContent(name) })
    .on('meta[property="og:site_name"]', contentOf(name))
    .on('meta[property="og:url"]', contentOf(`${origin}/`))
    .on('meta[property="og:image"]', contentOf(`${origin}/social-card.png`))
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
    .transform(textOf(document))
}

/** Of characters that would end the element or attribute around JSON. */
const jsonEscape = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Development only: bundles `web/` again when it changes; keeps the last bundle if that fails. */
export async function reloadWebAssets(assets: Map<string, unknown>, opened: OpenedInstance) {
  const { watchWebApp } = await import('./build-web-app.ts')
  return watchWebApp(() => {
    void openWebAssets(opened, { hasStyleguide: true, isCodedLater: true }).then(
      (fresh) => {
        assets.clear()
        for (const [path, asset] of fresh) assets.set(path, asset)
      },
      (error) => console.error(error),
    )
  })
}
