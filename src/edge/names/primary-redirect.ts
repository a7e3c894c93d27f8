import { requestTarget } from '#edge/request-target.ts'
import { isForCertificates, parseRequestPath } from '#site/request-path.ts'
import { redirectCacheControl } from '#site/visit/cache-control.ts'
import { corsFields } from '#site/visit/place.ts'

/** Redirects a visitor to the site's primary address, with path and query. Null: this host answers the request. */
export function redirectToPrimary(origin: string, { method, url }: Request): Response | null {
  // A preflight request follows no redirect (Fetch, "CORS-preflight fetch").
  if (method === 'OPTIONS') return null
  const { pathname, search } = requestTarget(url)
  const path = parseRequestPath(pathname)
  if (!path.ok || isForCertificates(path.segments)) return null
  const headers = {
    location: origin + pathname + search,
    // An owner may choose another one, or none.
    'cache-control': redirectCacheControl,
    ...corsFields,
  }
  return new Response(null, { status: 308, headers })
}
