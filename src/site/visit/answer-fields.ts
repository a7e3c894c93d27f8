import { withCacheControl } from '#http/cache-control.ts'
import type { HeaderList } from '#http/header-fields.ts'
import type { Vary } from './decision.ts'
import { type Place, ruledFields, siteFields } from './place.ts'
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
