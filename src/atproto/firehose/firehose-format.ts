import type { GapReason } from './firehose-event.ts'
import type { FirehoseHint } from './firehose-hint.ts'

/** A stream's way to say things. Pure: what is done about it is `firehose-reader.ts`'s business. */
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

export interface AddressOptions {
  readonly base: URL
  readonly cursor: number | null
  readonly collections: ReadonlySet<string>
}

export type FirehoseFrame =
  /** One step of the network. Without hints when it is none of our business. */
  | { readonly kind: 'step'; readonly number: number; readonly hints: readonly FirehoseHint[] }
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
