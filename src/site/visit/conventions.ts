import { nameOf, type SitePath } from '#site/path.ts'
import { defaultSettings, parseSettings, type SiteSettings } from '#site/record/settings.ts'
import { isForeignName, type SiteName } from '#site/site-name.ts'

/** How visitors of a network's sites expect them to be served, where the settings do not say. */
export interface Conventions {
  readonly indexFiles: readonly string[]
  /** Names of pages that say that there is none; the first that exists wins. */
  readonly notFoundPages: readonly string[]
  /** `nearest`: in the directory of the address, or the next one above that has such a page. */
  readonly notFoundIn: 'nearest' | 'root'
  /** Without such a page, a site with listings shows that of its root. */
  readonly listsRootIfMissing: boolean
}

/** Those of the site's network. */
export const conventionsOf = (name: SiteName): Conventions =>
  isForeignName(name) ? ofWisp : ownConventions

/**
 * With these settings, a site of ours with the same files is served as this one is, as far as ours can say that. Null: it
 * needs none.
 */
export function settingsForConventions(
  name: SiteName,
  settings: SiteSettings | null,
  paths: ReadonlySet<SitePath>,
): SiteSettings | null {
  const { indexFiles, notFoundPages } = conventionsOf(name)
  const isIndex = (path: SitePath): boolean =>
    indexFiles.includes(nameOf(path)) && !ownConventions.indexFiles.includes(nameOf(path))
  const page = notFoundPages.find((one) => paths.has(one as SitePath))
  const { custom404, directoryListing, spaMode } = settings ?? {}
  const hasMode = Boolean(custom404 || directoryListing || spaMode)
  const fields = {
    ...(settings?.indexFiles === undefined && paths.values().some(isIndex) && { indexFiles }),
    ...(page !== undefined && page !== '404.html' && !hasMode && { custom404: page }),
  }
  const parsed = parseSettings({ ...settings, ...fields })
  if (settings === null && Object.keys(fields).length === 0) return null
  return parsed.ok ? parsed.settings : settings
}

const ownConventions: Conventions = {
  indexFiles: defaultSettings.indexFiles,
  notFoundPages: ['404.html'],
  notFoundIn: 'nearest',
  listsRootIfMissing: false,
}

const ofWisp: Conventions = {
  indexFiles: ['index.html', 'index.htm'],
  notFoundPages: ['404.html', 'not_found.html'],
  notFoundIn: 'root',
  listsRootIfMissing: true,
}
