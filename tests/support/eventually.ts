const everyMs = 20

/** Repeats `attempt` until it does not throw; after `withinMs`, throws what it threw last. */
export async function eventually<T>(attempt: () => Promise<T>, withinMs = 10_000): Promise<T> {
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
