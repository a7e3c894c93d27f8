/** A burst of `count`, refilled evenly over each `windowMs`. */
export interface Allowance {
  readonly count: number
  readonly windowMs: number
}

// GCRA: a bucket is one number, the time at which all that was taken from it is refilled.

/** When a bucket that is full again at `spentUntil` is after one more was taken. */
export const spentAfterOne = (
  spentUntil: number,
  now: number,
  { count, windowMs }: Allowance,
): number => Math.max(spentUntil, now) + windowMs / count

/** Milliseconds until a bucket may be spent until then; 0: now. */
export function waitUntilSpendable(
  spentUntil: number,
  now: number,
  { windowMs }: Allowance,
): number {
  const waitMs = spentUntil - now - windowMs
  // Tolerance for rounding: sums of fractions must not cost the last one.
  return waitMs > 0.001 ? waitMs : 0
}
