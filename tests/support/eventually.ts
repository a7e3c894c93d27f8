/** As long as the time waited so far, from one millisecond to this; */
const earlyPauseMsMax = 20
/** later a part of it: a long wait costs little CPU, and ends at most a tenth late. */
const pausePart = 0.1
const pauseMsMax = 250
/** Below the time that a test has (`package.json`), so that its own failure is shown. A busy machine has needed 30 s. */
const patienceMs = 90_000

/**
 * As `eventually`, where a second is what was promised. Belongs into tests that nothing runs beside
 * (`*.alone.test.ts`).
 */
export const withinASecond = <T>(attempt: () => Promise<T>): Promise<T> =>
  eventually(attempt, 1_000)

/** Repeats `attempt` until it does not throw; after `withinMs`, throws what it threw last. */
export async function eventually<T>(attempt: () => Promise<T>, withinMs = patienceMs): Promise<T> {
  const startedAt = Date.now()
  const deadline = startedAt + withinMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() >= deadline) throw error
    }
    const now = Date.now()
    const waitedMs = now - startedAt
    const earlyPauseMs = Math.min(earlyPauseMsMax, Math.max(1, waitedMs))
    const pauseMs = Math.min(pauseMsMax, Math.max(earlyPauseMs, waitedMs * pausePart))
    await Bun.sleep(Math.min(pauseMs, Math.max(0, deadline - now)))
  }
}
