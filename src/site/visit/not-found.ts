import { directoryDepthMax } from '#site/limits.ts'
import { type Decision, missing, show, type Vary } from './decision.ts'
import { findFile, type StoredFile } from './find-file.ts'
import type { Visit } from './visit.ts'

/**
 * The 404 page of the settings, else one that the conventions of the site's network name, else a listing of the root or
 * the service's page.
 */
export function notFound({ site, segments, address }: Visit, vary: Vary): Decision {
  const directory = address.isDirectory ? segments : segments.slice(0, -1)
  const page = findFile(site.files, site.settings.custom404) ?? findPageFor404(site, directory)
  if (page !== null) return show(page, 404, vary)
  const { conventions, directories, settings } = site
  if (!conventions.listsRootIfMissing || !settings.directoryListing) return missing(404, vary)
  return { kind: 'listing', status: 404, path: '', entries: directories.get('') ?? [], vary }
}

function findPageFor404(
  { files, conventions: { notFoundIn, notFoundPages } }: Visit['site'],
  directory: readonly string[],
): StoredFile | null {
  // Files are no deeper, but addresses may be, and each level costs a lookup.
  const deepest = notFoundIn === 'root' ? 0 : Math.min(directory.length, directoryDepthMax)
  for (let depth = deepest; depth >= 0; depth--) {
    for (const name of notFoundPages) {
      const page = findFile(files, [...directory.slice(0, depth), name].join('/'))
      if (page !== null) return page
    }
  }
  return null
}
