import { describe, expect, setSystemTime, test } from 'bun:test'
import { eventually } from '#tests/support/eventually.ts'
import type { Lane } from './lane.ts'
import { Lanes } from './lanes.ts'
import type { Party } from './pace-history.ts'

/** Lanes for four, and work in them that ends only when it has to give way. */
function open(slowAfterMs: number) {
  const clock = { now: 0 }
  const lanes = new Lanes(4, { slowAfterMs, elapsed: () => clock.now })
  const gaveWay: number[] = []
  const opened = new Map<number, Lane>()
  let slow = 0
  const start = (n: number, pinned = false): void => {
    const run = async (lane: Lane): Promise<void> => {
      const { signal } = lane
      opened.set(n, lane)
      const { promise, resolve } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => resolve())
      await promise
      gaveWay.push(n)
    }
    void lanes.start({ run, onSlow: () => void slow++, pinned })
  }
  const allSlow = (count: number) => eventually(async () => expect(slow).toBe(count))
  const lane = (n: number): Lane => opened.get(n) as Lane
  return { clock, lanes, start, lane, gaveWay, allSlow }
}
const hour = 3_600_000

test('a corrected system clock does not change the history', async () => {
  const lanes = new Lanes(4)
  const party = { account: 'a', host: null }
  lanes.history.record(party, { isSlow: true })
  setSystemTime(Date.now() + 2 * hour)
  expect(lanes.isSlow(party)).toBe(true)
  setSystemTime()
})

test('has capacity up to its limit, and again when work ends or fails', async () => {
  const lanes = new Lanes(4)
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const done = ends.map(({ promise }) => lanes.start({ run: () => promise, onSlow: () => {} }))
  expect(lanes.capacity).toBe(0)
  ends[0]?.resolve()
  await done[0]
  expect(lanes.capacity).toBe(1)
  ends[1]?.reject(new Error('failed'))
  await expect(done[1]).rejects.toThrow('failed')
  expect(lanes.capacity).toBe(2)
})

test('a little waiting for this process again and again does not keep slow work quick', async () => {
  const { clock, start, lane, allSlow } = open(10)
  start(1)
  const ticks = setInterval(() => {
    void lane(1).ownWait(async () => {
      clock.now += 2
    })
  }, 20)
  await allSlow(1)
  clearInterval(ticks)
})

test('a wait for this process does not make work slow, and a wait for its server afterwards does', async () => {
  const { clock, lanes, start, lane, allSlow } = open(10)
  start(1)
  start(2)
  const gate = Promise.withResolvers<void>()
  const waits = [lane(1), lane(1)].map((of) => of.ownWait(() => gate.promise))
  clock.now += 100
  await eventually(async () => expect(lane(2).isSlow).toBe(true))
  expect(lane(1).isSlow).toBe(false)
  expect(lanes.busy).toBe(1)
  gate.resolve()
  await Promise.all(waits)
  expect(lane(1).ownWaitMs).toBe(100)
  await allSlow(2)
})

test('slow work takes no quick lane, up to 32', async () => {
  const { lanes, start, allSlow } = open(1)
  for (let n = 0; n < 36; n++) {
    expect(lanes.capacity).toBeGreaterThan(0)
    start(n)
    await allSlow(n + 1)
    expect(lanes.capacity).toBe(n < 32 ? 4 : 35 - n)
  }
})

test('of excess slow work one is preempted per waiting caller, the newest while none had its quantum', async () => {
  const { lanes, start, gaveWay, allSlow } = open(1)
  for (let n = 0; n < 36; n++) {
    start(n)
    await allSlow(n + 1)
  }
  expect(gaveWay).toEqual([])
  lanes.preemptSlow()
  lanes.preemptSlow()
  await eventually(async () => expect(lanes.capacity).toBe(1))
  expect(gaveWay).toEqual([35])
  lanes.preemptSlow()
  await eventually(async () => expect(lanes.capacity).toBe(2))
  expect(gaveWay).toEqual([35, 34])
})

test('the oldest that had its quantum is preempted, also for other slow work', async () => {
  const { clock, lanes, start, gaveWay, allSlow } = open(1)
  for (let n = 0; n < 33; n++) {
    start(n)
    await allSlow(n + 1)
    clock.now += 100
  }
  lanes.preemptSlow({ forSlow: true })
  expect(lanes.capacity).toBe(3)
  clock.now = 60_000
  lanes.preemptSlow({ forSlow: true })
  await eventually(async () => expect(gaveWay).toEqual([0]))
  lanes.preemptSlow()
  clock.now += 100
  lanes.preemptSlow({ forSlow: true })
  await eventually(async () => expect(gaveWay).toEqual([0, 1]))
})

test('work that has just begun is not preempted', () => {
  const { lanes, start, gaveWay } = open(hour)
  for (let n = 0; n < 4; n++) start(n)
  lanes.preemptSlow()
  expect(lanes.capacity).toBe(0)
  expect(gaveWay).toEqual([])
})

test('pinned work keeps its quick lane however slow, and is preempted before detached work', async () => {
  const { lanes, start, gaveWay, allSlow } = open(1)
  start(0)
  for (let n = 1; n <= 4; n++) start(n, true)
  await allSlow(5)
  expect(lanes.capacity).toBe(0)
  lanes.preemptSlow()
  await eventually(async () => expect(lanes.capacity).toBe(1))
  expect(gaveWay).toEqual([4])
})

test('slow work that releases its memory detaches, and cannot be pinned again', async () => {
  const { lanes, start, lane, allSlow } = open(1)
  start(0, true)
  await allSlow(1)
  expect([lanes.capacity, lane(0).isDetached]).toEqual([3, false])
  lane(0).detachWhenSlow()
  expect(lanes.capacity).toBe(4)
  expect(lane(0).pin()).toBe(false)
  expect(lanes.capacity).toBe(4)
})

test('quick work that releases its memory can be pinned again', async () => {
  const { lanes, start, lane } = open(hour)
  start(0, true)
  lane(0).detachWhenSlow()
  expect(lane(0).isDetached).toBe(false)
  expect(lane(0).pin()).toBe(true)
  lane(0).becomeSlow()
  expect(lanes.capacity).toBe(3)
})

describe('parties', () => {
  const shares = { quick: { host: 2, domain: 3 }, slow: { host: 1, domain: 2 } }
  const party = (account: string, host: string): Party => ({ account, host })

  function openShared() {
    const lanes = new Lanes(4, { detachedMax: 3, slowPinnedMax: 1, shares, slowAfterMs: hour })
    /** Ends when told to; slow where `isSlow`. */
    const start = (party: Party, isSlow = false) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const done = lanes.start({
        run: async (lane) => {
          if (isSlow) lane.isHeldUp()
          await promise
        },
        onSlow: () => {},
        party,
      })
      const end = async (): Promise<void> => {
        resolve()
        await done
      }
      return { end }
    }
    const remember = (party: Party, isSlow: boolean) => start(party, isSlow).end()
    return { lanes, start, remember }
  }

  test('one server has its share of quick lanes, and one domain', () => {
    const { lanes, start } = openShared()
    start(party('a', 'one.evil.example'))
    start(party('b', 'one.evil.example'))
    expect(lanes.hasCapacity(party('c', 'one.evil.example'))).toBe(false)
    expect(lanes.hasCapacity(party('c', 'two.evil.example'))).toBe(true)
    start(party('c', 'two.evil.example'))
    expect(lanes.hasCapacity(party('d', 'three.evil.example'))).toBe(false)
    expect(lanes.hasCapacity(party('d', 'pds.other.example'))).toBe(true)
  })

  test('accounts that were slow have lanes of their own, and their server its share of these', async () => {
    const { lanes, start, remember } = openShared()
    for (const n of [1, 2, 3]) await remember(party(`slow${n}`, `pds${n}.example`), true)
    for (let n = 0; n < 4; n++) start(party(`quick${n}`, `quick${n}.example`))
    expect(lanes.capacity).toBe(0)
    expect(lanes.hasCapacity(party('slow1', 'pds1.example'))).toBe(true)
    start(party('slow1', 'pds1.example'))
    expect(lanes.hasCapacity(party('unknown', 'pds1.example'))).toBe(false)
    expect(lanes.hasCapacity(party('slow2', 'pds2.example'))).toBe(true)
    expect(lanes.capacity).toBe(0)
  })

  test('slow ones that hold much have fewer lanes', async () => {
    const { lanes, remember } = openShared()
    for (const n of [1, 2]) await remember(party(`slow${n}`, `pds${n}.example`), true)
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = lanes.start({
      run: () => promise,
      onSlow: () => {},
      pinned: true,
      party: party('slow1', 'pds1.example'),
    })
    const other = party('slow2', 'pds2.example')
    expect([lanes.hasCapacity(other, { pinned: true }), lanes.hasCapacity(other)]).toEqual([
      false,
      true,
    ])
    resolve()
    await done
    expect(lanes.hasCapacity(other, { pinned: true })).toBe(true)
  })

  test('of slow work the newest of the server that holds most is preempted', async () => {
    const lanes = new Lanes(4, { detachedMax: 2, slowAfterMs: hour })
    const gaveWay: string[] = []
    const start = (account: string, host: string): void => {
      const run = async (lane: Lane): Promise<void> => {
        lane.isHeldUp()
        const { promise, resolve } = Promise.withResolvers<void>()
        lane.signal.addEventListener('abort', () => resolve())
        await promise
        gaveWay.push(account)
      }
      void lanes.start({ run, onSlow: () => {}, party: party(account, host) })
    }
    start('a', 'one.evil.example')
    start('b', 'two.evil.example')
    start('c', 'pds.other.example')
    lanes.preemptSlow()
    await eventually(async () => expect(gaveWay).toEqual(['b']))
  })

  describe('slow work of a quantum is preempted', () => {
    const share = { host: 2, domain: 2 }

    type Running = readonly [Party, 'pinned' | 'detached']

    /** Accounts whose work is preempted a minute after all of it became slow. */
    async function preemptedFor(waiting: Party, running: readonly Running[]) {
      const clock = { now: 0 }
      const lanes = new Lanes(4, {
        detachedMax: 3,
        slowPinnedMax: 2,
        shares: { quick: share, slow: share },
        slowAfterMs: hour,
        elapsed: () => clock.now,
      })
      lanes.history.record(waiting, { isSlow: true })
      const opened = running.map(([party, kind]) => {
        const { promise, resolve } = Promise.withResolvers<Lane>()
        const run = async (lane: Lane): Promise<void> => {
          lane.isHeldUp()
          if (kind === 'detached') lane.detachWhenSlow()
          resolve(lane)
          await new Promise(() => {})
        }
        void lanes.start({ run, onSlow: () => {}, pinned: true, party })
        return promise
      })
      const open = await Promise.all(opened)
      clock.now = 60_000
      lanes.preemptFor([waiting], { pinned: true })
      return open.filter(({ signal }) => signal.aborted).map((lane) => lane.party?.account)
    }

    const long: Running = [party('long', 'pds.other.example'), 'detached']
    const pinned = (account: string, host: string): Running => [party(account, host), 'pinned']

    test('for another server when the pinned lanes are full: pinned work', async () => {
      const running = [long, pinned('a', 'a.example'), pinned('b', 'b.example')]
      expect(await preemptedFor(party('c', 'c.example'), running)).toEqual(['a'])
    })

    test('not for a server that has used its share, even where the lanes are full', async () => {
      const running = [long, pinned('a', 'a.example'), pinned('b', 'a.example')]
      expect(await preemptedFor(party('c', 'a.example'), running)).toEqual([])
    })

    test('not while lanes are free', async () => {
      const running = [long, pinned('a', 'a.example')]
      expect(await preemptedFor(party('c', 'c.example'), running)).toEqual([])
    })
  })

  test('long sending does not make the next attempt slow, a wait for the server does', async () => {
    const lanes = new Lanes(4, { slowAfterMs: hour })
    const run = async (lane: Lane): Promise<void> => {
      lane.detachWhenSlow()
      lane.becomeSlow()
    }
    await lanes.start({ run, onSlow: () => {}, pinned: true, party: party('a', 'a.example') })
    expect(lanes.isSlow(party('a', 'a.example'))).toBe(false)
    const runs = async (lane: Lane): Promise<void> => lane.becomeSlow()
    await lanes.start({ run: runs, onSlow: () => {}, pinned: true, party: party('a', 'a.example') })
    expect(lanes.isSlow(party('a', 'a.example'))).toBe(true)
  })
})
