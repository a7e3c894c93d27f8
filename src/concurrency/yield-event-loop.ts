/**
 * Resolves when the event loop has been round: whatever else was ready went first. By a timer, because with Bun
 * 1.4.5 `setImmediate` waits up to a second when it is called behind the disk and nothing else wakes the loop.
 */
export const yieldEventLoop = (): Promise<void> => Bun.sleep(0)

/** How long one piece of work may keep the event loop from everything else. */
const sliceMs = 2

/**
 * For work that comes in many small steps: to be awaited between them, it yields to the event loop whenever `sliceMs`
 * have passed since it did last.
 */
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

/** Runs work that pauses after each of its steps to its end, in such slices. */
export async function runInSlices<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  const yieldWhenDue = timeSlices()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await yieldWhenDue()
  }
}
