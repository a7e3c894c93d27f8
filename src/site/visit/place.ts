import { withCacheControl } from '#http/cache-control.ts'
import type { HeaderList } from '#http/header-fields.ts'
import { applyHeaderRules, type HeaderPlace } from '#site/rules/apply-header-rules.ts'
import type { ServableSite } from './servable-site.ts'

/** What a host shows of a site: its live version, one version for ever, or the newest preview with an alias. */
export type Shows = 'live' | 'version' | 'preview'

/** Where an answer is shown. Its headers depend on this and the decision only. */
export interface Place extends HeaderPlace {
  readonly shows: Shows
  /**
   * The same page at the address that search engines should list: the live site's, and of that the primary one. Null:
   * they may list this one.
   */
  readonly canonical: string | null
}

/** Scripts of any origin may read every answer of a site's host, with its headers; without credentials. */
export const corsFields = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
}

/** Headers of every answer of a site. */
export function siteFields({ record }: ServableSite, { canonical }: Place): Record<string, string> {
  return {
    ...corsFields,
    'x-content-type-options': 'nosniff',
    'x-sitehost-record': record.uri,
    'x-sitehost-version': record.cid,
    ...(canonical !== null && { link: `<${canonical}>; rel="canonical"` }),
  }
}

/**
 * The service's header fields for an answer, as the owner's rules change them. But search engines list neither versions
 * nor previews, and what an alias leads to changes: no shared cache may store it.
 */
export function ruledFields(
  site: ServableSite,
  place: Place,
  own: Readonly<Record<string, string>>,
): HeaderList {
  const ruled = applyHeaderRules(site.headers, place, own)
  if (place.shows === 'live') return ruled
  const fields = ruled.filter(([name]) => name !== 'x-robots-tag')
  fields.push(['x-robots-tag', 'noindex'])
  return place.shows === 'preview' ? withCacheControl(fields, previewCacheControl) : fields
}

/** Browsers ask each time whether it is still the same. */
const previewCacheControl = 'private, no-cache'

/** `Cache-Control` of redirects: rules may change with the next version. */
export const redirectCacheControl = ({ shows }: Place): string =>
  shows === 'preview' ? previewCacheControl : 'public, max-age=0'
