import type { ContentCoding } from '#http/accept-encoding.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'

export interface ETagFacts {
  readonly file: Pick<SnapshotFile, 'cid' | 'hash' | 'coding'>
  /** In which it is sent. */
  readonly coding: ContentCoding
  readonly contentType: string
  /** The owner's `Content-Disposition`; left out: what browsers do anyway. */
  readonly disposition?: string | undefined
}

/** 132 bits of a hash, in base64url. */
const digestChars = 22

/**
 * Strong: the CID, and what else makes a difference. A record can say that the same blob is another
 * content; codings differ (RFC 9110 §8.8.3.3); and who is told that nothing changed keeps the media type, and
 * whether it is shown or saved.
 */
export function etagOf({ file, coding, contentType, disposition }: ETagFacts): string {
  const facts = [file.hash, file.coding, coding, contentType].join(' ')
  // No media type holds a line break.
  const all = disposition === undefined ? facts : `${facts}\n${disposition}`
  const digest = new Bun.CryptoHasher('sha256').update(all).digest('base64url')
  return `"${file.cid}-${digest.slice(0, digestChars)}"`
}
