import { isRecordKey } from '@atcute/lexicons/syntax'

declare const siteName: unique symbol

/** The name of a site among its owner's sites: the record key of its manifest. */
export type SiteName = string & { readonly [siteName]: true }

/** 1 to 512 of `A-Z a-z 0-9 . _ ~ : -`, not `.` or `..`; null for anything else. */
export function parseSiteName(input: string): SiteName | null {
  return isRecordKey(input) ? (input as string as SiteName) : null
}
