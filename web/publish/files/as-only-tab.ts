/**
 * Runs `work` at once, and tells it whether no other tab of this browser publishes meanwhile. Over plain http, where browsers
 * keep nothing, there is nothing that two tabs could both take up.
 */
export async function asOnlyTab(work: (isOnly: boolean) => Promise<void>): Promise<void> {
  const locks: LockManager | undefined = globalThis.navigator?.locks
  if (locks === undefined) await work(true)
  else await locks.request('publish', { ifAvailable: true }, (lock) => work(lock !== null))
}
