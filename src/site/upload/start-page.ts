import { parentOf, type SitePath } from '#site/path.ts'
import type { SiteSettings } from '#site/record/settings.ts'

/** What visitors get at `/`. */
export type StartPage =
  | { readonly kind: 'index' }
  /** This folder has an `index.html`: it may be what was meant. */
  | { readonly kind: 'folder'; readonly folder: string }
  /** The only page there is. */
  | { readonly kind: 'page'; readonly page: SitePath }
  | { readonly kind: 'none' }

export function startPageOf(
  files: readonly { readonly path: SitePath }[],
  settings: SiteSettings | null,
): StartPage {
  const paths = new Set<string>(files.map(({ path }) => path))
  const names = settings?.indexFiles ?? ['index.html']
  // A site with redirects or a single page may well have none.
  if (names.some((name) => paths.has(name)) || paths.has('_redirects')) return { kind: 'index' }
  if (settings?.spaMode !== undefined || settings?.directoryListing) return { kind: 'index' }
  const folder = buildFolders.find((name) => paths.has(`${name}/index.html`)) ?? onlyIndex(files)
  if (folder !== undefined) return { kind: 'folder', folder }
  const [page, ...others] = files.filter(({ path }) => /^[^/]+\.html?$/i.test(path))
  return page !== undefined && others.length === 0
    ? { kind: 'page', page: page.path }
    : { kind: 'none' }
}

const buildFolders = ['dist', 'build', 'out', 'public', '_site', 'www', 'html', 'docs']

function onlyIndex(files: readonly { readonly path: SitePath }[]): string | undefined {
  const folders = files
    .filter(({ path }) => /^[^/]+\/index\.html$/.test(path))
    .map(({ path }) => parentOf(path))
  return folders.length === 1 ? folders[0] : undefined
}
