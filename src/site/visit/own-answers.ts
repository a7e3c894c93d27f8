import type { HeaderList } from '#http/header-fields.ts'
import { pageStylePolicy } from '#site/own-pages/page-style.ts'
import { answerFields, ruledFields, withOwnType } from './answer-fields.ts'
import {
  mustRevalidate,
  ruledRedirectCacheControl,
  withCacheControl,
  withCdnSeconds,
} from './cache-control.ts'
import type { Decision } from './decision.ts'
import { corsFields, type Place, siteFields } from './place.ts'
import type { ServableSite } from './servable-site.ts'

/** The headers of our own pages. */
export const ownPageFields = {
  ...corsFields,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': `default-src 'none'; style-src ${pageStylePolicy}`,
}

type Of<Kind extends Decision['kind']> = Extract<Decision, { kind: Kind }>

/** Header fields of a redirect. */
export function redirectFields(
  site: ServableSite,
  place: Place,
  decision: Of<'redirect'>,
): HeaderList {
  const own = { 'cache-control': ruledRedirectCacheControl(place) }
  const fields = answerFields(site, place, own, decision).filter(([name]) => name !== 'location')
  return [...fields, ['location', decision.location]]
}

/** Header fields of the service's page for an address without a page. */
export const missingFields = (
  site: ServableSite,
  place: Place,
  decision: Of<'missing'>,
): HeaderList => answerFields(site, place, ownPageFields, decision)

/** For people, or for programs. */
export type ListingKind = 'page' | 'json'

/** Header fields of a listing, without those that depend on its bytes. */
export function listingFields(
  site: ServableSite,
  place: Place,
  { status, vary }: Of<'listing'>,
  kind: ListingKind,
): HeaderList {
  const contentType = kind === 'json' ? 'application/json' : ownPageFields['content-type']
  const own = {
    ...siteFields(site, place),
    ...ownPageFields,
    'content-type': contentType,
    'cache-control': mustRevalidate,
    ...(status === 200 && { 'last-modified': new Date(site.liveSince).toUTCString() }),
    vary: [...new Set([...vary, 'accept'])].join(', '),
  }
  const fields = withOwnType(ruledFields(site, place, own), contentType)
  return status === 200
    ? withCdnSeconds(fields, site, place)
    : withCacheControl(fields, mustRevalidate)
}
