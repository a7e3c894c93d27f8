import { isTid } from '@atcute/lexicons/syntax'

declare const versionKey: unique symbol

/** The record key of a version that its owner keeps (`place.sitehost.version`). Keys sort by the time they were made. */
export type VersionKey = string & { readonly [versionKey]: true }

/** A TID (https://atproto.com/specs/tid); null for anything else. */
export function parseVersionKey(input: string): VersionKey | null {
  return isTid(input) ? (input as string as VersionKey) : null
}
