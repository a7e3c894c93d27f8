import { setTimeout } from 'node:timers/promises'

/**
 * Resolves after one round of the event loop: everything that was ready has run. By a timer, because with Bun
 * 1.4.5 `setImmediate` waits up to a second when it is called behind the disk and nothing else wakes the loop. By Bun's
 * own where there is one: it takes 0.04 ms, that of Node 1.5 ms.
 */
export const yieldEventLoop = (): Promise<void> => globalThis.Bun?.sleep(0) ?? setTimeout(0)

/** How long one piece of work may keep the event loop from everything else. */
const sliceMs = 2

/** Await the returned function between small steps: it yields to the event loop once `sliceMs` have passed. */
export function timeSlices({
  now = () => performance.now(),
  turn = yieldEventLoop,
} = {}): () => Promise<void> {
  let endsAt = now() + sliceMs
  return async () => {
    if (now() < endsAt) return
    await turn()
    endsAt = now() + sliceMs
  }
}

/** Runs all steps of a generator, yielding to the event loop as `timeSlices` does. */
export async function runInSlices<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  const yieldWhenDue = timeSlices()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await yieldWhenDue()
  }
}
