import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether an `Authorization` field has this token (RFC 6750 §2.1). Compares in constant time. */
export function isBearer(field: string | null | undefined, token: string): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(field ?? '') ?? []
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
