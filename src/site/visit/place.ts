import type { HeaderPlace } from '#site/rules/apply-header-rules.ts'
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
