/** For what should not fail: the test does, by a rejection that nobody handles. */
export function unexpected(error: unknown): never {
  throw error
}
