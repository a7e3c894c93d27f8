import { corsFields } from '#edge/place.ts'
import { requestTarget } from '#edge/request-target.ts'
import { isForCertificates, parseRequestPath } from '#site/request-path.ts'

/**
 * Sends a visitor on to the site's primary address, path and query kept. Null: what is asked is answered here,
 * wherever the site has its primary address.
 */
export function redirectToPrimary(origin: string, { method, url }: Request): Response | null {
  // A preflight request follows no redirect (Fetch, "CORS-preflight fetch").
  if (method === 'OPTIONS') return null
  const { pathname, search } = requestTarget(url)
  const path = parseRequestPath(pathname)
  if (!path.ok || isForCertificates(path.segments)) return null
  const headers = {
    location: origin + pathname + search,
    // An owner may choose another one, or none.
    'cache-control': 'public, max-age=0',
    ...corsFields,
  }
  return new Response(null, { status: 308, headers })
}
