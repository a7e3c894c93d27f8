import type { AccountSession, OAuth } from '#atproto/oauth/oauth.ts'
import type { Lane } from '#concurrency/lane.ts'

/** Sent bytes extend the time limit of a call at this rate. */
const sentBytesPerMs = 256

/** Runs `work` and marks the lane as held up when it takes longer than `ms`. */
export async function heldUpAfter<T>(ms: number, lane: Lane, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => lane.isHeldUp(), ms)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

/** Opens sessions as `open` does; marks the lane as held up when a call to the account's server exceeds `ms`. */
export function sessionsInLane(open: OAuth['session'], ms: number, lane: Lane): OAuth['session'] {
  return async (did) => {
    const session = await heldUpAfter(ms, lane, () => open(did))
    const handle: AccountSession['handle'] = (path, init) =>
      heldUpAfter(ms + sizeOf(init?.body) / sentBytesPerMs, lane, () => session.handle(path, init))
    return { did: session.did, handle }
  }
}

const sizeOf = (body: unknown): number => (body instanceof Blob ? body.size : 0)
