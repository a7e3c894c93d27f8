/** A day in UTC: days since the epoch. */
export type UtcDay = number

const dayMs = 24 * 60 * 60 * 1000

export const utcDayOf = (time: number): UtcDay => Math.floor(time / dayMs)

/** When the day begins, in milliseconds since the epoch. */
export const startOfUtcDay = (day: UtcDay): number => day * dayMs

/** `2026-01-31` */
export const utcDate = (day: UtcDay): string =>
  new Date(startOfUtcDay(day)).toISOString().slice(0, 10)
