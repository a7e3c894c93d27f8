/** The web app's own addresses. The start has a document of its own; that of the others reads its address. */
const pages: ReadonlySet<string> = new Set(['/', '/onboarding', '/editor', '/names', '/account'])

/** Where the document of all its pages but the start is kept. */
export const appPage = '/editor'

/** The administrator's area: one document for its pages, which reads its own address. */
export const adminPage = '/admin'

// As `encodeURIComponent` writes it.
const encoded = String.raw`(?:[\w.:~-]|%[0-9A-F]{2})+`
const sitePage = new RegExp(`^/sites/${encoded}(?:/(?:files|versions|domains|settings))?$`)
/** The pages of one account and of one site, and `/admin/`. */
const adminDetail = new RegExp(
  `^/admin/(?:accounts/did${encoded}|sites/did${encoded}/${encoded})?$`,
)

/** Whether the web app, and not the administrator's area, has a page at this path. */
export const isAppPage = (path: string): boolean => pages.has(path) || sitePage.test(path)

/** Under which path the document of this page is kept; other paths: themselves. */
export function assetPath(path: string): string {
  if (path === '/') return path
  if (isAppPage(path)) return appPage
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
