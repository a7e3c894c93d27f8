import { preferredLanguages } from '#http/accept-language.ts'
import { chooseLocale, type Locale, localeCookie } from '#site/locales.ts'

/** The web app's own addresses, besides those of one site. */
const pages: ReadonlySet<string> = new Set(['/', '/onboarding', '/editor', '/names', '/account'])

/** Under which the document is kept that says that there is no such page: no path. */
export const noPage = '*'

/** The administrator's area: one document for its pages, which reads its own address. */
export const adminPage = '/admin'

// As `encodeURIComponent` writes it.
const encoded = String.raw`(?:[\w.:~-]|%[0-9A-F]{2})+`
const sitePage = new RegExp(`^/sites/${encoded}(/(?:files|versions|domains|visits|settings))?$`)
/** The pages of one account and of one site, and `/admin/`. */
const adminDetail = new RegExp(
  `^/admin/(?:accounts/did${encoded}|sites/did${encoded}/${encoded})?$`,
)

/** Under which key a page's document is kept in a language. */
export const documentKey = (page: string, locale: Locale): string =>
  locale === 'en' ? page : `${page} ${locale}`

/** The language of pages for somebody: the one that they chose, or that their browser prefers. */
export const localeOf = (headers: Headers): Locale =>
  chooseLocale(
    new Bun.CookieMap(headers.get('cookie') ?? '').get(localeCookie),
    preferredLanguages(headers.get('accept-language')),
  )

/** Whether the web app, and not the administrator's area, has a page at this path. */
export const isAppPage = (path: string): boolean => pages.has(path) || sitePage.test(path)

/** Under which path the document of this page is kept, that of a site's under its pattern; other paths: themselves. */
export function assetPath(path: string): string {
  const ofSite = sitePage.exec(path)
  if (ofSite !== null) return `/sites/:rkey${ofSite[1] ?? ''}`
  return adminDetail.test(path) ? adminPage : path
}

const returnPathCharsMax = 2000

/**
 * The page of the web app, with its query, that somebody who signs in may be sent back to: never another origin, and
 * nothing that does something when it is opened. Null for anything else.
 */
export function parseReturnPath(text: string | null | undefined): `/${string}` | null {
  if (typeof text !== 'string' || text.length > returnPathCharsMax) return null
  // Visible ASCII without a backslash, which browsers read as a slash.
  const [, path, query = ''] = /^(\/[!-[\]-~]*?)(\?[!-[\]-~]*)?$/.exec(text) ?? []
  return path !== undefined && isAppPage(path) ? (`${path}${query}` as `/${string}`) : null
}
