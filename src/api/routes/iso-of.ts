/** ISO 8601, in UTC. */
export const isoOf = (at: number): string => new Date(at).toISOString()

export const isoOrNull = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : isoOf(at)
