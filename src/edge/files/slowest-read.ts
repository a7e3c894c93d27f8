import { readerBytesPerSecondMin, readerGraceMs } from '#site/limits.ts'

/** A visitor who takes longer than this for `bytes` is too slow. */
export const slowestReadMs = (bytes: number): number =>
  readerGraceMs + (bytes / readerBytesPerSecondMin) * 1000
