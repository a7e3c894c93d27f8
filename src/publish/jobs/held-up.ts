import type { AccountSession, OAuth } from '#atproto/oauth/oauth.ts'
import type { Lane } from '#concurrency/lane.ts'

/** What is sent may take this much longer. */
const sentBytesPerMs = 256

/** What `work` resolves to; the lane is told when that takes longer than `ms`. */
export async function heldUpAfter<T>(ms: number, lane: Lane, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => lane.isHeldUp(), ms)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

/** Opens sessions as `open` does; the lane is told when the account's server takes longer than `ms` to answer. */
export function sessionsInLane(open: OAuth['session'], ms: number, lane: Lane): OAuth['session'] {
  return async (did) => {
    const session = await heldUpAfter(ms, lane, () => open(did))
    const handle: AccountSession['handle'] = (path, init) =>
      heldUpAfter(ms + sizeOf(init?.body) / sentBytesPerMs, lane, () => session.handle(path, init))
    return { did: session.did, handle }
  }
}

const sizeOf = (body: unknown): number => (body instanceof Blob ? body.size : 0)
