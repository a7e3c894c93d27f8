const everyMs = 20
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
  const deadline = Date.now() + withinMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    await Bun.sleep(everyMs)
  }
}
