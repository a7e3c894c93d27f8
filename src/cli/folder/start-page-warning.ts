import type { SitePath } from '#site/path.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { startPageOf } from '#site/upload/start-page.ts'

/** What visitors get at `/` in place of a start page, for its owner. Null: there is one, or something else is meant. `settings` are those of the folder. */
export function startPageWarning(
  files: readonly { readonly path: SitePath }[],
  settings: SiteSettings | null,
): string | null {
  const found = startPageOf(files, settings)
  // Settings that the site has already may name another start page.
  const unless = settings === null ? ' unless the site’s settings name another start page' : ''
  const missing = `so its address shows “page not found”${unless}.`
  switch (found.kind) {
    case 'index':
      return null
    case 'folder':
      return `There is no index.html at the top, but one in ${found.folder}: perhaps that is the folder to deploy. The top has none, ${missing}`
    case 'page':
      return `There is no index.html, but ${found.page}: call that index.html. There is none now, ${missing}`
    case 'none':
      return `There is no index.html, ${missing}`
  }
}
