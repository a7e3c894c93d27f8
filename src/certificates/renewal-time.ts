import { createHash } from 'node:crypto'
import type { RenewalWindow } from './acme/acme-answers.ts'

interface Renewed {
  /** By which its place in the window is drawn: the same whenever it is asked for, so that renewals spread over it. */
  readonly id: string
  readonly validFrom: number
  readonly validUntil: number
  /** When it was issued here. */
  readonly changedAt: number
}

const hourMs = 60 * 60_000

/**
 * Somewhere in the window, but not after the time when it is renewed without one (with a third of its life left), and not within an hour of
 * being issued: a mistake of the authority lets no certificate expire and has none ordered again and again.
 */
export function renewalTime(
  { end, start }: RenewalWindow,
  { changedAt, id, validFrom, validUntil }: Renewed,
  now: number,
): number {
  const share = createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32
  const wanted = start + Math.max(end - start, 0) * share
  const latest = validUntil - (validUntil - validFrom) / 3
  return Math.round(Math.max(Math.min(wanted, latest), changedAt + hourMs, now))
}
