import type { HeaderPlace } from '#site/rules/apply-header-rules.ts'
import { siteUri } from '#site/site-address.ts'
import type { ServableSite } from '#site/visit/servable-site.ts'

/** Where an answer is shown: with the decision, all that its headers depend on. */
export interface Place extends HeaderPlace {
  /** The same page at the site's primary address; null when it is there, or the site has none. */
  readonly canonical: string | null
}

/** Scripts of any origin may read every answer on a site's host, its headers included; without credentials. */
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
