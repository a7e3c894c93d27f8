import { isRecordKey } from '@atcute/lexicons/syntax'
import { type Did, parseDid } from '#site/site-address.ts'

/** A stream's way to say things. Pure: what is done about it is the business of `FirehoseReader`. */
export interface FirehoseFormat {
  /** Where to connect to go on after `cursor`; null: with what comes now. */
  address(options: AddressOptions): URL
  /** What a frame says, as the socket delivers it. Never throws. */
  read(data: unknown, collections: ReadonlySet<string>): FirehoseFrame
  /** Whether events were lost, by the first number that came after connecting with `cursor`. */
  gapBefore(first: number, cursor: number): GapReason | null
  /** Whether the source cannot have given this cursor yet. `now` in milliseconds. */
  isFuture(cursor: number, now: number): boolean
  /** Whether numbers may go back within a connection. */
  readonly isRoughlyOrdered: boolean
}

interface AddressOptions {
  readonly base: URL
  readonly cursor: number | null
  readonly collections: ReadonlySet<string>
}

export type FirehoseFrame =
  /** One step of the network. Without hints when it is none of our business. */
  | { readonly kind: 'step'; readonly number: number; readonly wakeUps: readonly RepoEvent[] }
  /** The source refuses the cursor, and ends the connection. */
  | { readonly kind: 'future-cursor' }
  /** The source goes on with the oldest that it has, which is later than the cursor. */
  | { readonly kind: 'outdated-cursor' }
  /** Not understood, and skipped. */
  | { readonly kind: 'problem'; readonly problem: string }

/** Larger ones are not looked at. The protocol allows 5 MB; a record of 1 MiB may be longer as JSON. */
export const frameBytesMax = 8 * 1024 * 1024

export const problem = (text: string): FirehoseFrame => ({ kind: 'problem', problem: text })

/** A sequence number or a time in microseconds. */
export const isStepNumber = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/**
 * Why events may be missing: we had no cursor and began with what comes now; the source does not know our
 * cursor and has started anew; it no longer has the events that follow our cursor.
 */
export type GapReason = 'no-cursor' | 'future-cursor' | 'outdated-cursor'

/**
 * What comes out of a firehose. `cursor` is where to go on after a restart, to be saved once this event
 * and all before it are durably done or queued. Null: nothing new to save. Of several hints of one commit,
 * only the last has the commit's own cursor. After a gap it may be lower than before.
 */
export type FirehoseEvent =
  | (RepoEvent & { readonly cursor: number | null })
  /** Events are missing: what is known of the network may be out of date from here on. */
  | { readonly kind: 'gap'; readonly reason: GapReason; readonly cursor: null }
  /** Nothing of ours up to here. */
  | { readonly kind: 'passed'; readonly cursor: number }

/** What happened to one account. Not a proof: whoever acts on it asks the account's server. */
export type RepoEvent =
  /** A record of a collection that we follow was written or removed. */
  | {
      readonly kind: 'site'
      readonly did: Did
      readonly collection: string
      readonly rkey: string
    }
  /** It went away or came back. */
  | { readonly kind: 'account'; readonly did: Did }
  /** Its handle, server or signing key may have changed. */
  | { readonly kind: 'identity'; readonly did: Did }
  /** Its repository changed without events that say how: its records are to be listed anew. */
  | { readonly kind: 'sync'; readonly did: Did }

/** The parts of a record's address, if it is in one of the collections and has a key that may be one. */
export function recordIn(
  collections: ReadonlySet<string>,
  collection: unknown,
  rkey: unknown,
): { collection: string; rkey: string } | null {
  if (typeof collection !== 'string' || !collections.has(collection)) return null
  return isRecordKey(rkey) ? { collection, rkey } : null
}

// The functions below give null for what is not of the protocol's form, and no hint for accounts of a kind
// that we do not read.

type WakeUps = readonly RepoEvent[] | null

export function siteWakeUps(
  did: unknown,
  records: readonly { collection: string; rkey: string }[],
): WakeUps {
  if (typeof did !== 'string') return null
  const known = records.length > 0 ? parseDid(did) : null
  return known === null ? [] : records.map((record) => ({ kind: 'site', did: known, ...record }))
}

export function changeWakeUps(kind: 'account' | 'identity' | 'sync', did: unknown): WakeUps {
  if (typeof did !== 'string') return null
  const known = parseDid(did)
  return known === null ? [] : [{ kind, did: known }]
}
