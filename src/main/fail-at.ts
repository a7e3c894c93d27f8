import { readFileSync } from 'node:fs'
import { type Config, ConfigError } from '#main/config/config.ts'
import { failPoint as failPointSetting } from '#main/config/settings.ts'

type Point = NonNullable<Config['failPoint']>

/**
 * Kills the process at the point that a test sets with FAILPOINT, or that FAILPOINT_FILE says when it is reached, as a power
 * cut would. Throws ConfigError if that file cannot be read or names no point, now and whenever one is reached.
 */
export function failAt({
  failPoint,
  failPointFile,
}: Pick<Config, 'failPoint' | 'failPointFile'>): (point: Point) => void {
  const chosen = () => (failPointFile === null ? failPoint : pointIn(failPointFile))
  chosen()
  return (point) => {
    if (point === chosen()) process.kill(process.pid, 'SIGKILL')
  }
}

/** Undefined: the file is empty. */
function pointIn(path: string): Point | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`FAILPOINT_FILE: ${path} cannot be read`, { cause })
  }
  if (text === '') return undefined
  const point = failPointSetting.safeParse(text)
  if (!point.success) throw new ConfigError(`FAILPOINT_FILE: ${path} names no fail point: ${text}`)
  return point.data
}
