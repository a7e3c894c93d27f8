import type { HeaderList } from '#http/header-fields.ts'
import { applyHeaderRules } from '#site/rules/apply-header-rules.ts'
import { previewCacheControl, withCacheControl } from './cache-control.ts'
import type { Vary } from './decision.ts'
import { type Place, siteFields } from './place.ts'
import type { ServableSite } from './servable-site.ts'

export interface OwnFields extends Readonly<Record<string, string>> {
  readonly 'cache-control': string
  readonly 'content-type'?: string
}

/** Header fields of an answer without a file. The owner's rules change neither its media type nor its `Cache-Control`. */
export function answerFields(
  site: ServableSite,
  place: Place,
  own: OwnFields,
  { vary }: { readonly vary: Vary },
): HeaderList {
  const all = {
    ...siteFields(site, place),
    ...own,
    ...(vary.length > 0 && { vary: vary.join(', ') }),
  }
  const ruled = ruledFields(site, place, all)
  const type = own['content-type']
  const fields = type === undefined ? ruled : withOwnType(ruled, type)
  return withCacheControl(fields, own['cache-control'])
}

/** An owner's header rules are for files: a page of ours keeps its media type. */
export const withOwnType = (fields: HeaderList, contentType: string): HeaderList =>
  fields.map(([name, value]) => [name, name === 'content-type' ? contentType : value])

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
