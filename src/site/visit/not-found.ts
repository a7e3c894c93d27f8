import { directoryDepthMax } from '#site/limits.ts'
import { type Decision, missing, show, type Vary } from './decision.ts'
import { findFile, type StoredFile } from './find-file.ts'
import type { Visit } from './visit.ts'

/** The 404 page of the settings, else the nearest `404.html` from the address upwards, else the service's page. */
export function notFound({ site, segments, address }: Visit, vary: Vary): Decision {
  const directory = address.isDirectory ? segments : segments.slice(0, -1)
  const page = findFile(site.files, site.settings.custom404) ?? findNearest404(site, directory)
  return page === null ? missing(404, vary) : show(page, 404, vary)
}

function findNearest404({ files }: Visit['site'], directory: readonly string[]): StoredFile | null {
  // Files are no deeper, but addresses may be, and each level costs a lookup.
  for (let depth = Math.min(directory.length, directoryDepthMax); depth >= 0; depth--) {
    const page = findFile(files, [...directory.slice(0, depth), '404.html'].join('/'))
    if (page !== null) return page
  }
  return null
}
