import { constants } from 'node:os'

/** One Ctrl-C may arrive from the terminal and from the parent process. */
const sameSignalMs = 500

/** The first SIGTERM or SIGINT aborts `stop`; another, later one ends the process, whatever it is doing. */
export function stopOnSignals(stop: AbortController): void {
  let stoppedAt = 0
  const end = (name: 'SIGTERM' | 'SIGINT'): void => {
    if (!stop.signal.aborted) {
      stoppedAt = performance.now()
      stop.abort()
    } else if (performance.now() - stoppedAt > sameSignalMs) {
      // As a shell has it of a process that a signal ended.
      process.exit(128 + constants.signals[name])
    }
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}
