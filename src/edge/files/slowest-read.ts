import { readerBytesPerSecondMin, readerGraceMs } from '#site/limits.ts'

/** A visitor who after so long has not taken so many bytes is too slow to be waited for. */
export const slowestReadMs = (bytes: number): number =>
  readerGraceMs + (bytes / readerBytesPerSecondMin) * 1000
