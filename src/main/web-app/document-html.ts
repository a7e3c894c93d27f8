import { escapeHtml } from '#http/escape-html.ts'
import { type BuiltFile, textOf } from '#main/build-cache/kept-builds.ts'
import type { Instance } from '#site/instance.ts'
import type { Locale } from '#site/locales.ts'
import { fontPaths } from '#site/own-pages/page-tokens.ts'
import { start as germanStart } from '#web/words/de/start.ts'
import { start as englishStart } from '#web/words/en/start.ts'
import type { DocumentOfApp } from './web-app.ts'

// What a document of the app has in it, besides what the bundler made.

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
export function withLoads(
  html: string,
  theme: string,
  { isOwn, locale, scripts }: DocumentOfApp,
): string {
  const { lead, title: headline, tooOld } = startOf[locale]
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
    .on('#app', {
      element: (app) => void app.before(`<aside class="too-old">${tooOld}</aside>`, { html: true }),
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

/**
 * The document with the app's style sheet in it, 10 kB as sent by Brotli and 11 by gzip. In a file of its own, nothing of the start page is painted
 * before a second answer, which shares a phone's network with 80 kB of script.
 */
export const withStyle = (html: string, style: string): string =>
  new HTMLRewriter()
    .on('link[rel="stylesheet"]', {
      element: (link) => void link.replace(`<style>${style}</style>`, { html: true }),
    })
    .transform(html)

/** The document with the start page in it, whose form works without scripts, too. */
export const withStart = (html: string, start: string): string =>
  new HTMLRewriter()
    .on('#app', { element: (app) => void app.setInnerContent(start, { html: true }) })
    .on('noscript', { element: (note) => void note.remove() })
    .transform(html)

/** The document with the instance in it: its name and address, and all of it for the script (`web/server/instance.ts`). */
export function pageOf(document: BuiltFile, instance: Instance): string {
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
