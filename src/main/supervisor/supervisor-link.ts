import type { FromProcess, ToProcess } from './supervisor-messages.ts'

/** The channel to the supervisor of this process. */
export interface SupervisorLink {
  send(message: FromProcess): void
  /** Calls it for each message from now on. */
  onMessage(take: (message: ToProcess) => void): void
  /** Aborted when the supervisor has ended, which nobody could restart this process after. */
  readonly isGone: AbortSignal
}

/** This process must have been started by a supervisor. */
export function openSupervisorLink(): SupervisorLink {
  const gone = new AbortController()
  process.on('disconnect', () => gone.abort())
  if (!process.connected) gone.abort()
  return {
    // What a supervisor that has ended does not read is lost.
    send: (message) => void (process.connected && process.send?.(message)),
    onMessage: (take) => void process.on('message', (message) => take(message as ToProcess)),
    isGone: gone.signal,
  }
}
