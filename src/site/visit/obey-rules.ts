import { parseRequestPath } from '#site/request-path.ts'
import { matchRedirect, type RedirectMatch } from '#site/rules/match-redirect.ts'
import { type Address, encodeAddress, findPage } from './addresses.ts'
import { type Decision, missing, type PageStatus, show, type Vary } from './decision.ts'
import { notFound } from './not-found.ts'
import { addressOf, type Visit } from './visit.ts'

/** The decision of the first rule of `_redirects` that applies; null when none applies. */
export function obeyRules(visit: Visit, kind: 'forced' | 'unforced'): Decision | null {
  const { site, request, segments } = visit
  if (kind === 'forced' ? !site.redirects.hasForced : site.redirects.isEmpty) return null
  const match = matchRedirect(site.redirects, request, segments, kind)
  return match === null ? null : obey(visit, match)
}

/** Whether a forced rule applies to this visitor at another address, with the same query. */
export function isForced({ site, request }: Visit, address: Address): boolean {
  if (!site.redirects.hasForced) return false
  const segments = address.path.split('/').filter((segment) => segment !== '')
  const there = { ...request, pathname: encodeAddress(address) }
  return matchRedirect(site.redirects, there, segments, 'forced') !== null
}

function obey(visit: Visit, { status, target, vary }: RedirectMatch): Decision {
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return target === null
        ? notFound(visit, vary)
        : { kind: 'redirect', status, location: target, vary }
    case 200:
    case 404:
      return showTarget(visit, target, status, vary) ?? notFound(visit, vary)
    case 410:
    case 451:
      return showTarget(visit, target, status, vary) ?? missing(status, vary)
  }
}

/** Shows the target in place at any address: rules do not chain, and no redirect follows a rewrite. */
function showTarget(
  { site }: Visit,
  target: string | null,
  status: PageStatus,
  vary: Vary,
): Decision | null {
  const path = target === null ? null : parseRequestPath(target)
  const page = path?.ok ? findPage(site, addressOf(path)) : null
  return page === null ? null : show(page, status, vary)
}
