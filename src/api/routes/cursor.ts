import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import type { Key } from '#store/database/search.ts'

/** Opaque to clients. */
export const cursorOf = (key: Key): string => Buffer.from(JSON.stringify(key)).toString('base64url')

/** Null without a cursor. `kinds` are the types of the list's key; numbers are whole. Throws ApiError 400. */
export function readCursor(
  cursor: string | undefined,
  kinds: readonly ('string' | 'number')[],
): Key | null {
  if (cursor === undefined) return null
  const key = jsonOf(Buffer.from(cursor, 'base64url').toString())
  const isKey =
    Array.isArray(key) &&
    key.length === kinds.length &&
    key.every((value, at) => typeof value === kinds[at] && isStorable(value))
  if (!isKey) throw new ApiError(400, sentences.badCursor)
  return key
}

/** A page of the rows, of which one more than its limit was read, and the cursor of the next one. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => Key,
): { readonly page: readonly Row[]; readonly cursor: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { page, cursor: hasMore ? cursorOf(keyOf(last)) : null }
}

const isStorable = (value: unknown): boolean =>
  typeof value === 'number' ? Number.isSafeInteger(value) : !String(value).includes('\0')

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
