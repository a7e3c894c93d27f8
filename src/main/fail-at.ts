import { readFileSync } from 'node:fs'
import type { Config } from '#main/config/config.ts'

type Point = NonNullable<Config['failPoint']>

/**
 * Kills the process at the point that a test sets with FAILPOINT, or that FAILPOINT_FILE says when it is reached, as a power
 * cut would.
 */
export function failAt({
  failPoint,
  failPointFile,
}: Pick<Config, 'failPoint' | 'failPointFile'>): (point: Point) => void {
  return (point) => {
    const chosen = failPointFile === null ? failPoint : readFileSync(failPointFile, 'utf8').trim()
    if (point === chosen) process.kill(process.pid, 'SIGKILL')
  }
}
