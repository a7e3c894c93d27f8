/** Shares of a limit, in percent, from which on its owner is warned. */
const warnedFrom = [100, 75, 50] as const

export type ShareWarning = (typeof warnedFrom)[number]

export interface UsedShare {
  readonly used: number
  /** Null: no limit. */
  readonly max: number | null
}

/** The highest that one of these limits has reached; null: none has. */
export function shareWarning(shares: readonly UsedShare[]): ShareWarning | null {
  const percents = shares.map(({ used, max }) => (max === null ? 0 : (100 * used) / max))
  const percent = Math.max(0, ...percents)
  return warnedFrom.find((from) => percent >= from) ?? null
}
