import type { ContentCoding } from '#http/accept-encoding.ts'
import type { HeaderList } from '#http/header-fields.ts'
import { isText } from '#http/media-type.ts'
import { recompressedBytesMin, wholeBodyBytesMax } from '#site/limits.ts'
import { ruledFields } from './answer-fields.ts'
import { cacheControlAt, withCacheControl, withCdnSeconds } from './cache-control.ts'
import type { Decision } from './decision.ts'
import { type Place, siteFields } from './place.ts'
import type { ServableSite } from './servable-site.ts'
import type { SnapshotFile } from './snapshot.ts'

type FileDecision = Extract<Decision, { kind: 'file' }>

/** The header fields of a file's answer that do not depend on its coding or on conditions. */
export interface FileFields {
  readonly fields: HeaderList
  /** The owner's `Content-Disposition`; undefined: none. */
  readonly disposition: string | undefined
}

export function fileFields(site: ServableSite, decision: FileDecision, place: Place): FileFields {
  const own = ownFields(site, decision, place)
  const ruled = ruledFields(site, place, own)
  const isPage = decision.status === 200
  const fields = isPage ? withCdnSeconds(ruled, site, place) : withCacheControl(ruled, 'no-store')
  const disposition = fields.find(([name]) => name === 'content-disposition')?.[1]
  return {
    fields,
    disposition: disposition === own['content-disposition'] ? undefined : disposition,
  }
}

/** Codings that we can make of a file: of text that fits into memory; gzip may also help if it is stored uncompressed. */
export function makeableCodings(file: SnapshotFile): ContentCoding[] {
  const { bytes, coding, contentType } = file
  if (bytes <= recompressedBytesMin || isStreamed(file)) return []
  if (!isText(contentType.split(';', 1)[0] ?? '')) return []
  return coding === 'gzip' ? ['br', 'zstd'] : ['br', 'zstd', 'gzip']
}

/** Whether at least one of its codings is streamed. */
const isStreamed = ({ bytes, storedBytes }: SnapshotFile): boolean =>
  Math.max(bytes, storedBytes) > wholeBodyBytesMax

function ownFields(
  site: ServableSite,
  { file, path, status, vary }: FileDecision,
  place: Place,
): Record<string, string> {
  const hasCodings = file.coding !== 'identity' || makeableCodings(file).length > 0
  const varies = [...(hasCodings ? ['accept-encoding'] : []), ...vary]
  return {
    ...siteFields(site, place),
    'content-type': file.contentType,
    // Has no effect, but without it Bun names what it streams after the file in our store (Bun 1.4.5).
    ...(isStreamed(file) && { 'content-disposition': 'inline' }),
    'cache-control': status === 200 ? cacheControlAt(place, path, site) : 'no-store',
    ...(status === 200 && {
      'last-modified': new Date(site.liveSince).toUTCString(),
      'accept-ranges': 'bytes',
    }),
    ...(varies.length > 0 && { vary: varies.join(', ') }),
  }
}
