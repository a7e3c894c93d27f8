import { Representation } from '#edge/files/representation.ts'
import { checkConditions, type ReadField } from '#http/conditions.ts'
import { applyHeaderRules } from '#site/rules/apply-header-rules.ts'
import type { Decision } from '#site/visit/decision.ts'
import { wantsJson } from './listing-page.ts'
import { ownPageFields, plainPage, withOwnType } from './pages.ts'
import { type Place, siteFields } from './place.ts'
import type { SiteInMemory } from './site-in-memory.ts'

type ListingDecision = Extract<Decision, { kind: 'listing' }>

/** A page or JSON, whichever the visitor would rather have; with conditions, like a file. */
export function respondListing(
  decision: ListingDecision,
  request: Request,
  place: Place,
  known: SiteInMemory,
): Response {
  const field: ReadField = (name) => request.headers.get(name)
  const kind = wantsJson(field('accept')) ? 'json' : 'page'
  const { body, etag } = known.listingOf(decision, kind)
  const { site } = known
  const validators = { etag, lastModified: site.liveSince }
  const verdict = checkConditions(field, validators)
  if (verdict === 412) return plainPage(412, 'Precondition failed')
  const contentType = kind === 'json' ? 'application/json' : 'text/html; charset=utf-8'
  const own = {
    ...siteFields(site, place),
    ...ownPageFields,
    'content-type': contentType,
    'cache-control': 'public, max-age=0, must-revalidate',
    'last-modified': new Date(site.liveSince).toUTCString(),
    vary: [...new Set([...decision.vary, 'accept'])].join(', '),
  }
  const fields = withOwnType(applyHeaderRules(site.headers, place, own), contentType)
  const facts = { coding: 'identity', bytes: body.size, status: 200, validators, fields } as const
  const { notModified, whole } = new Representation(facts)
  if (verdict === 304) return new Response(null, notModified)
  return new Response(request.method === 'HEAD' ? null : body, whole)
}
