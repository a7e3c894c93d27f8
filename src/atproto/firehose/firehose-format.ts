import { isRecordKey } from '@atcute/lexicons/syntax'
import { type Did, parseDid } from '#site/site-address.ts'

/** The protocol of a source. Pure: `FirehoseReader` acts on the frames. */
export interface FirehoseFormat {
  /** The address to connect to. Events continue after `cursor`; null: from now on. */
  address(options: {
    readonly base: URL
    readonly cursor: number | null
    readonly collections: ReadonlySet<string>
  }): URL
  /** Parses a frame as the socket delivers it. Never throws. */
  read(data: unknown, collections: ReadonlySet<string>): FirehoseFrame
  /** Whether events were lost, by the first number after connecting with `cursor`. */
  gapBefore(first: number, cursor: number): GapReason | null
  /** Whether the source cannot have sent this cursor yet. `now` in milliseconds. */
  isFuture(cursor: number, now: number): boolean
  /** When the source made the step, in milliseconds since the epoch; null: it does not say. Its clock, not ours. */
  timeOf(step: FirehoseStep): number | null
  /** Whether numbers may decrease within a connection. */
  readonly isRoughlyOrdered: boolean
}

export type FirehoseFrame =
  /** One step of the network, with the events in it that concern us. */
  | FirehoseStep
  /** The source rejects the cursor and ends the connection. */
  | { readonly kind: 'future-cursor' }
  /** The source continues with its oldest event, which is later than the cursor. */
  | { readonly kind: 'outdated-cursor' }
  /** Not understood, and skipped. */
  | { readonly kind: 'problem'; readonly problem: string }

export interface FirehoseStep {
  readonly kind: 'step'
  readonly number: number
  readonly events: readonly RepoEvent[]
  /** As the source writes it, where its numbers are no times. */
  readonly time?: string
}

/** Larger frames are not parsed. The protocol allows 5 MB; a record of 1 MiB may be longer as JSON. */
export const frameBytesMax = 8 * 1024 * 1024

export const problem = (text: string): FirehoseFrame => ({ kind: 'problem', problem: text })

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Events may be missing: we had no cursor, or the source does not know it, or no longer has the events after it. */
export type GapReason = 'no-cursor' | 'future-cursor' | 'outdated-cursor'

/**
 * `cursor` is where to continue after a restart, to be saved once this event and all before it are durably done or
 * queued; null: nothing new to save. Of several events of one commit, only the last has the commit's own cursor.
 * After a gap it may be lower than before.
 */
export type FirehoseEvent =
  | (RepoEvent & { readonly cursor: number | null })
  /** Events are missing: our knowledge of the network may be out of date from here on. */
  | { readonly kind: 'gap'; readonly reason: GapReason; readonly cursor: null }
  /** Nothing of ours up to here. */
  | { readonly kind: 'passed'; readonly cursor: number }

/** What happened to one account. Not a proof: the account's server decides. */
export type RepoEvent =
  /** A record of a collection that we follow was written or removed. */
  | {
      readonly kind: 'site'
      readonly did: Did
      readonly collection: string
      readonly rkey: string
    }
  /** The account was deactivated, deleted or activated again. */
  | { readonly kind: 'account'; readonly did: Did }
  /** Its handle, server or signing key may have changed. */
  | { readonly kind: 'identity'; readonly did: Did }
  /** Its repository changed without events for each record: list its records again. */
  | { readonly kind: 'sync'; readonly did: Did }

/** The step with this number and these events; a problem if either is not of the protocol's form. */
export function stepOf(
  number: unknown,
  events: readonly RepoEvent[] | null,
  time?: unknown,
): FirehoseFrame {
  const isNumber = Number.isSafeInteger(number) && Number(number) >= 0
  return isNumber && events !== null
    ? { kind: 'step', number: Number(number), events, ...(typeof time === 'string' && { time }) }
    : problem('malformed event')
}

// Both return null for a DID that is not a string, and no events for accounts of a kind that we do not read.

/** An event for each of these records that is in one of the collections and has a possible key. */
export function siteEvents(
  did: unknown,
  records: readonly { readonly collection: unknown; readonly rkey: unknown }[],
  collections: ReadonlySet<string>,
): readonly RepoEvent[] | null {
  if (typeof did !== 'string') return null
  return records.flatMap(({ collection, rkey }) => {
    if (typeof collection !== 'string' || !collections.has(collection)) return []
    const known = isRecordKey(rkey) ? parseDid(did) : null
    return known === null ? [] : { kind: 'site', did: known, collection, rkey: String(rkey) }
  })
}

export function changeEvents(
  kind: 'account' | 'identity' | 'sync',
  did: unknown,
): readonly RepoEvent[] | null {
  if (typeof did !== 'string') return null
  const known = parseDid(did)
  return known === null ? [] : [{ kind, did: known }]
}
