import type { Config } from '#main/config/config.ts'

type Point = NonNullable<Config['failPoint']>

/** Kills the process at the point that a test sets with FAILPOINT, as a power cut would. */
export function failAt(failPoint: Point | undefined): (point: Point) => void {
  return (point) => {
    if (point === failPoint) process.kill(process.pid, 'SIGKILL')
  }
}
