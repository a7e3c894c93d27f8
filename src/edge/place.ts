import type { HeaderPlace } from '#site/rules/apply-header-rules.ts'
import { siteUri } from '#site/site-address.ts'
import type { ServableSite } from '#site/visit/servable-site.ts'

/** Where an answer is shown. Its headers depend on this and the decision only. */
export interface Place extends HeaderPlace {
  /** The same page at the site's primary address; null at that address, or without one. */
  readonly canonical: string | null
}

/** Scripts of any origin may read every answer of a site's host, with its headers; without credentials. */
export const corsFields = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
}

/** Headers of every answer of a site. */
export function siteFields(
  { snapshot }: ServableSite,
  { canonical }: Place,
): Record<string, string> {
  return {
    ...corsFields,
    'x-content-type-options': 'nosniff',
    'x-sitehost-record': siteUri(snapshot),
    'x-sitehost-version': snapshot.recordCid,
    ...(canonical !== null && { link: `<${canonical}>; rel="canonical"` }),
  }
}
