import type { Shutdown } from '#api/context.ts'
import { onAbort } from '#concurrency/or-aborted.ts'

/** Time before the end at which uploads that still arrive are answered. */
const lastCallMs = 3_000
/** Time to close connections. */
const closingMs = 1_000

interface Countdown extends Shutdown, Disposable {
  /** Aborted when requests in progress are cut off. */
  readonly over: AbortSignal
}

/** The stages of a shutdown that begins with the signal and takes at most `secondsMax`. */
export function countDown(begun: AbortSignal, secondsMax: number): Countdown {
  const [lastCall, over] = [new AbortController(), new AbortController()]
  const timers: Timer[] = []
  const beginning = onAbort(begun, () => {
    const after = (stage: AbortController, ms: number) =>
      timers.push(setTimeout(() => stage.abort(), Math.max(ms, 0)))
    after(lastCall, secondsMax * 1000 - lastCallMs)
    after(over, secondsMax * 1000 - closingMs)
  })
  return {
    begun,
    lastCall: lastCall.signal,
    over: over.signal,
    [Symbol.dispose]() {
      beginning[Symbol.dispose]()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
