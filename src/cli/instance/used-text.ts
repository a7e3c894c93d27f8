export const usedText = (lastUsedAt: string | null): string =>
  lastUsedAt === null ? 'never used' : `used ${lastUsedAt.slice(0, 16).replace('T', ' ')} UTC`
