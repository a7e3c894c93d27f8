interface BackoffOptions {
  /** The first pause, in milliseconds; each further one is twice the one before. */
  readonly min: number
  readonly max: number
  /** The share of each pause that is random: 1 is full jitter (from 0), 0.5 equal jitter (from half), 0 none. */
  readonly jitter: number
  readonly random?: () => number
}

/**
 * Exponential backoff with jitter, so that callers that failed together do not retry together. Returns the pause
 * after `failures` earlier failures: between `(1 - jitter)` of and all of `min * 2 ** failures`, at most `max`.
 */
export function backoff({ min, max, jitter, random = Math.random }: BackoffOptions) {
  return (failures: number): number => Math.min(max, min * 2 ** failures) * (1 - jitter * random())
}
