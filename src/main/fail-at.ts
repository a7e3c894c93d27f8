import type { Config } from '#main/config/config.ts'

type Point = NonNullable<Config['failPoint']>

/** What a test asks for with FAILPOINT: the process dies there, as a power cut would have it. */
export function failAt(failPoint: Point | undefined): (point: Point) => void {
  return (point) => {
    if (point === failPoint) process.kill(process.pid, 'SIGKILL')
  }
}
