/** `2026-11-26 15:26 UTC`, of a time as records and Sitehosts write it. */
export const timeText = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`

export const dayText = (iso: string): string => iso.slice(0, 10)

export const usedText = (lastUsedAt: string | null): string =>
  lastUsedAt === null ? 'never used' : `used ${timeText(lastUsedAt)}`
