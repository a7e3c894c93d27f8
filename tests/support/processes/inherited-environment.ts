/** What a process that a test starts gets of the test's own environment: where programs are, and how Bun keeps memory. */
export function inheritedEnvironment(): Record<string, string | undefined> {
  const { PATH, HOME, MIMALLOC_PURGE_DELAY } = process.env
  return { PATH, HOME, MIMALLOC_PURGE_DELAY }
}
