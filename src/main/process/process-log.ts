import { isatty } from 'node:tty'
import type { Config } from '#main/config/config.ts'
import { type LogOptions, type RunningLog, startLog } from '#observe/start-log.ts'

type LogSettings = Pick<Config, 'logColours' | 'logFormat' | 'logLevel'>

type ProcessLogOptions = Pick<LogOptions, 'onEntry' | 'onEvent' | 'service'>

const standardError = 2

/** Writes to standard error, as the settings say: for people on a terminal, for programs elsewhere. */
export function startProcessLog(
  { logColours, logFormat, logLevel: level }: LogSettings,
  options: ProcessLogOptions,
): Promise<RunningLog> {
  // Asked of the system: a thread's `process.stderr` does not know.
  const isTerminal = isatty(standardError)
  return startLog({
    ...options,
    write: (line) => process.stderr.write(line),
    level,
    format: logFormat ?? (isTerminal ? 'text' : 'json'),
    colours: isTerminal && logColours,
  })
}
