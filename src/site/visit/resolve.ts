import { parseWeights } from '#http/quality-values.ts'
import { visibleAscii } from '#http/visible-ascii.ts'
import { locationCharsMax } from '#site/limits.ts'
import { parseRequestPath } from '#site/request-path.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'
import { type Address, encodeAddress, findPage } from './addresses.ts'
import { type Decision, missing, show, type Vary } from './decision.ts'
import { findFile, findName, isReservedFile, type StoredFile } from './find-file.ts'
import { notFound } from './not-found.ts'
import { isForced, obeyRules } from './obey-rules.ts'
import type { ServableSite } from './servable-site.ts'
import { addressOf, type Visit } from './visit.ts'

export type { Decision } from './decision.ts'

/**
 * Decides the answer of this version of a site. `now`, in milliseconds since the epoch, enables the assets of
 * earlier versions; without it none is served. Never throws.
 *
 * The first that applies wins; examples for a site with `a.html`, `d/x.png` and clean addresses:
 * 1. a forced rule (`/a /b 302!`): `/a` goes to `/b`, although `a.html` exists
 * 2. a file: `/a` shows `a.html`, `/a.html` and `/a/` go to `/a`
 * 3. a file of an earlier version whose name has a hash: pages that are still open get `/app-1a2b3c.js`
 * 4. any other rule (`/old /a 301`): `/old` goes to `/a` because it has no file
 * 5. a listing: `/d` goes to `/d/`, which lists `x.png`
 * 6. the page of `spaMode`, for navigations only
 * 7. the nearest `404.html`: for `/d/y` the one in `d/`, else the one at the root
 */
export function resolve(site: ServableSite, request: VisitorRequest, now = Infinity): Decision {
  return decide(site, request, now).decision
}

/** A decision, and the step that made it. */
export interface Decided {
  readonly by: Step | 'request' | 'reserved' | 'nothing'
  readonly decision: Decision
}

/** As `resolve`, and tells by what: a step, the request alone, a reserved name, or because no step applied. */
export function decide(site: ServableSite, request: VisitorRequest, now = Infinity): Decided {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const path = parseRequestPath(request.pathname)
  if (!path.ok) return byRequest({ kind: path.status === 414 ? 'uri-too-long' : 'bad-request' })
  if (request.method === 'OPTIONS') return byRequest({ kind: 'options', allow })
  const address = addressOf(path)
  if (isRead) return decideStep({ site, request, segments: path.segments, address, now })
  return byRequest(
    findPage(site, address) === null ? missing(404, []) : { kind: 'method-not-allowed', allow },
  )
}

const byRequest = (decision: Decision): Decided => ({ by: 'request', decision })

const allow = 'GET, HEAD, OPTIONS'

type Step = 'forced-rule' | 'file' | 'earlier-asset' | 'rule' | 'listing' | 'application'

/** In this order. */
const steps: readonly (readonly [Step, (visit: Visit) => Decision | null])[] = [
  ['forced-rule', (visit) => obeyRules(visit, 'forced')],
  ['file', showFile],
  ['earlier-asset', showEarlierAsset],
  ['rule', (visit) => obeyRules(visit, 'unforced')],
  ['listing', listDirectory],
  ['application', showApplication],
]

function decideStep(visit: Visit): Decided {
  const { path, isDirectory } = visit.address
  if (!isDirectory && isReservedFile(path)) {
    return { by: 'reserved', decision: notFound(visit, []) }
  }
  for (const [by, step] of steps) {
    const decision = step(visit)
    if (decision !== null) return { by, decision }
  }
  return { by: 'nothing', decision: notFound(visit, visit.site.redirects.fields) }
}

function showFile(visit: Visit): Decision | null {
  const { site, request, address } = visit
  const page = findPage(site, address)
  if (page === null) return null
  const home = page.redirect ?? address
  const isAtHome = encodeAddress(home) === request.pathname
  if (isAtHome && !site.redirects.hasForced) return showEveryone(page, address)

  const vary = fieldsOfForced(site)
  const mayStay = page.redirect === null && site.addressForm === 'plain'
  if (isAtHome || mayStay) return show(page, 200, vary)
  // A forced rule owns that address: a redirect would never arrive there.
  if (isForced(visit, home)) return page.isHere ? show(page, 200, vary) : null
  return moveTo(home, request, vary)
}

function showEveryone({ path, file }: StoredFile, address: Address): Decision {
  // Not for every Unicode spelling: a name may have any number of them.
  const isForEveryone = path.startsWith(address.path)
  return { kind: 'file', status: 200, path, file, isForEveryone, vary: [] }
}

/** A forced rule that does not apply could apply with other values of these fields. */
function fieldsOfForced({ redirects }: ServableSite): Vary {
  return redirects.hasForced ? redirects.fields : []
}

function moveTo(address: Address, { search }: VisitorRequest, vary: Vary): Decision {
  const location = encodeAddress(address) + visibleAscii(search)
  if (location.length > locationCharsMax) return { kind: 'uri-too-long' }
  return { kind: 'redirect', status: 308, location, vary }
}

function showEarlierAsset({ site, address, now }: Visit): Decision | null {
  const { path, isDirectory } = address
  const asset = isDirectory ? undefined : site.earlierAssets.get(path)
  if (asset === undefined || now >= asset.until) return null
  return show({ path, file: asset.file }, 200, fieldsOfForced(site))
}

function listDirectory({ site, request, address }: Visit): Decision | null {
  const path = site.settings.directoryListing ? findName(site.directories, address.path) : undefined
  const entries = path === undefined ? undefined : site.directories.get(path)
  if (path === undefined || entries === undefined) return null
  // Relative links in a listing only work with the slash.
  const vary = site.redirects.fields
  if (!address.isDirectory) return moveTo({ ...address, isDirectory: true }, request, vary)
  return { kind: 'listing', status: 200, path, entries, vary }
}

/** The page of `spaMode`, which routes all addresses of the site itself. */
function showApplication(visit: Visit): Decision | null {
  const { site, request } = visit
  const page = findFile(site.files, site.settings.spaMode)
  if (page === null) return null
  const vary = [...site.redirects.fields, ...navigationFields]
  return isNavigation(request) ? show(page, 200, vary) : notFound(visit, vary)
}

/** The fields that `isNavigation` reads. */
const navigationFields: readonly string[] = ['accept', 'sec-fetch-mode']

/** By `Sec-Fetch-Mode`, or if it accepts HTML and its path has no file extension: not a subresource. */
function isNavigation(request: VisitorRequest): boolean {
  if (request.header('sec-fetch-mode') === 'navigate') return true
  return wantsHtml(request.header('accept') ?? '') && !hasExtension(request.pathname)
}

const wantsHtml = (accept: string): boolean => (parseWeights(accept).get('text/html') ?? 0) > 0

const hasExtension = (pathname: string): boolean => /[^/]\.[^./]+$/.test(pathname)
