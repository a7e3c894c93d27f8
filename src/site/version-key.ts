import { isTid } from '@atcute/lexicons/syntax'

declare const versionKey: unique symbol

/** The record key of a version that its owner keeps (`place.sitehost.version`). Keys sort by the time they were made. */
export type VersionKey = string & { readonly [versionKey]: true }

/** A TID (https://atproto.com/specs/tid); null for anything else. */
export function parseVersionKey(input: string): VersionKey | null {
  return isTid(input) ? (input as string as VersionKey) : null
}

/** Digits of a TID, in their order. */
export const tidDigits = '234567abcdefghijklmnopqrstuvwxyz'

/** The key of a version made at this time. The last two digits, 10 bits of `random`, tell apart those of one millisecond. */
export function versionKeyAt(milliseconds: number, random: number): VersionKey {
  const bits = (BigInt(Math.floor(milliseconds)) * 1000n * 1024n) | BigInt(random & 1023)
  let key = ''
  for (let shift = 60n; shift >= 0n; shift -= 5n) key += tidDigits[Number((bits >> shift) & 31n)]
  return key as VersionKey
}
