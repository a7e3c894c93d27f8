import type { ContentCoding } from '#http/accept-encoding.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'

export interface ETagFacts {
  readonly file: Pick<SnapshotFile, 'cid' | 'hash' | 'coding'>
  /** The coding sent. */
  readonly coding: ContentCoding
  readonly contentType: string
  /** The owner's `Content-Disposition`, if it differs from the default. */
  readonly disposition?: string | undefined
}

/** 132 bits of a hash, in base64url. */
const digestChars = 22

/**
 * Strong: the CID and everything else that changes the response. A record can give the same blob another content;
 * codings differ (RFC 9110 §8.8.3.3); a 304 keeps the cached Content-Type and Content-Disposition, so they are
 * part of it.
 */
export function etagOf({ file, coding, contentType, disposition }: ETagFacts): string {
  const facts = [file.hash, file.coding, coding, contentType].join(' ')
  // Media types contain no line break.
  const all = disposition === undefined ? facts : `${facts}\n${disposition}`
  const digest = new Bun.CryptoHasher('sha256').update(all).digest('base64url')
  return `"${file.cid}-${digest.slice(0, digestChars)}"`
}
