import { describe, expect, test } from 'bun:test'
import { WakeUp } from '#concurrency/wake-up.ts'
import type { Did } from '#site/site-address.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { followIdentityChanges } from './follow-identity-changes.ts'
import { IdentityChanges } from './identity-changes.ts'

const never = new AbortController().signal

describe('announced changes', () => {
  test('a reader that has seen nothing starts afresh, and then gets what comes', async () => {
    const changes = new IdentityChanges()
    changes.add(alice)
    const first = await changes.after(null, never)
    expect(first).toMatchObject({ last: 1, dids: null })
    const waiting = changes.after(first, never)
    changes.add(bob)
    expect(await waiting).toMatchObject({ last: 2, dids: [bob] })
    changes.add(alice)
    expect(await changes.after(first, never)).toMatchObject({ last: 3, dids: [bob, alice] })
  })

  test('so does one of another process, and one that is too far behind', async () => {
    const changes = new IdentityChanges()
    const first = await changes.after(null, never)
    expect(await changes.after({ run: 'another', last: 0 }, never)).toMatchObject({ dids: null })
    for (let n = 0; n < 1000; n++) changes.add(alice)
    expect((await changes.after(first, never))?.dids).toHaveLength(1000)
    changes.add(alice)
    expect(await changes.after(first, never)).toMatchObject({ last: 1001, dids: null })
  })

  test('a wait ends without a change, or with its signal', async () => {
    const changes = new IdentityChanges({ waitMsMax: 1 })
    const first = await changes.after(null, never)
    expect(await changes.after(first, never)).toMatchObject({ last: 0, dids: [] })
    const stop = new AbortController()
    const waiting = new IdentityChanges().after(null, stop.signal)
    stop.abort()
    await waiting
    expect(await changes.after(first, stop.signal)).toBeNull()
  })
})

test('a process that follows them forgets what changed, and all when it may have missed some', async () => {
  let changes = new IdentityChanges()
  let isReachable = true
  const forgotten: (Did | 'all')[] = []
  const stop = new AbortController()
  const unreached = new WakeUp()
  const following = followIdentityChanges({
    changesAfter: async (seen, signal) => {
      if (isReachable) return await changes.after(seen, signal)
      unreached.wake()
      return null
    },
    identities: { forget: (did) => forgotten.push(did), forgetAll: () => forgotten.push('all') },
    signal: stop.signal,
    retryMs: 1,
    paceMs: 1,
  })
  await eventually(async () => expect(forgotten).toEqual(['all']))
  changes.add(alice)
  await eventually(async () => expect(forgotten).toEqual(['all', alice]))
  isReachable = false
  // Ends a wait that has begun already.
  changes.add(bob)
  await unreached.wait(60_000)
  changes = new IdentityChanges()
  isReachable = true
  await eventually(async () => {
    expect(forgotten.filter((each) => each === 'all')).toHaveLength(2)
  })
  stop.abort()
  await following
})
