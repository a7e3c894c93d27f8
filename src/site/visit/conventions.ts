import { defaultSettings } from '#site/record/settings.ts'
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

export const conventionsOf = (name: SiteName): Conventions =>
  isForeignName(name) ? ofWisp : ownConventions

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
