import type { FirehoseHint } from './firehose-hint.ts'

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
  | (FirehoseHint & { readonly cursor: number | null })
  /** Events are missing: what is known of the network may be out of date from here on. */
  | { readonly kind: 'gap'; readonly reason: GapReason; readonly cursor: null }
  /** Nothing of ours up to here. */
  | { readonly kind: 'passed'; readonly cursor: number }
