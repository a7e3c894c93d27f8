import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import type { Lane } from '#concurrency/lane.ts'
import { Lanes } from '#concurrency/lanes.ts'
import type { Party } from '#concurrency/pace-history.ts'

// A simulated clock: accounts with endless backlogs on servers that take 36 seconds for a job, and one on a quick server that
// comes now and then. Lanes and shares are as in publishing.

const stepMs = 100
const quickMs = 200
const slowMs = 36_000
const heldUpMs = 1_000

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

interface Waiting {
  readonly party: Party
  readonly ms: number
  readonly onStart: () => void
}

function simulate() {
  const share = { host: 3, domain: 3 }
  const lanes = new Lanes(4, {
    detachedMax: 8,
    slowPinnedMax: 4,
    shares: { quick: share, slow: share },
  })
  let waiting: Waiting[] = []
  let done = 0
  const yielded: string[] = []

  function schedule(): void {
    const byAccount = new Map(waiting.map((each) => [each.party.account, each]))
    const withoutLane: Party[] = []
    for (const party of lanes.history.inOrder([...byAccount.values()].map((each) => each.party))) {
      if (!lanes.hasCapacity(party)) {
        withoutLane.push(party)
        continue
      }
      const next = byAccount.get(party.account) as Waiting
      waiting = waiting.filter((each) => each !== next)
      next.onStart()
      void lanes.start({ run: (lane) => work(next, lane), onSlow: () => {}, party })
    }
    lanes.preemptFor(withoutLane)
  }

  async function work(job: Waiting, lane: Lane): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    if (job.ms > heldUpMs) setTimeout(() => lane.isHeldUp(), heldUpMs)
    setTimeout(() => resolve(true), job.ms)
    lane.signal.addEventListener('abort', () => resolve(false))
    if (await promise) done += 1
    else {
      yielded.push(job.party.account)
      waiting.push(job)
    }
  }

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      schedule()
      jest.advanceTimersByTime(stepMs)
      for (let n = 0; n < 5; n++) await Promise.resolve()
    }
  }

  /** How long one with a quick server waits for its lane. */
  async function waitOf(account: string): Promise<number> {
    let isStarted = false
    const party = { account, host: 'pds.quick.example' }
    waiting.push({ party, ms: quickMs, onStart: () => (isStarted = true) })
    const from = Date.now()
    schedule()
    while (!isStarted) await pass(stepMs)
    const waited = Date.now() - from
    await pass(quickMs)
    return waited
  }

  return {
    pass,
    waitOf,
    queueSlow: (account: string, host: string, ms = slowMs) =>
      waiting.push({ party: { account, host }, ms, onStart: () => {} }),
    done: () => done,
    yielded,
  }
}

const places: [string, (n: number) => string][] = [
  ['one slow server', () => 'pds.slow.example'],
  ['servers below one domain', (n) => `pds${n}.slow.example`],
  ['servers of their own', (n) => `pds.slow${n}.example`],
]

test.each(places)(
  'forty accounts on %s: whoever is quick waits a second at most',
  async (_, hostOf) => {
    const { done, pass, queueSlow, waitOf } = simulate()
    await waitOf('met')
    for (let n = 0; n < 40; n++) {
      for (let job = 0; job < 6; job++) queueSlow(`slow${n}`, hostOf(n))
    }
    const waits: number[] = []
    for (let n = 0; n < 100; n++) {
      waits.push(await waitOf(`quick${n}`))
      await pass(1_500)
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(heldUpMs)
    // Nor do the slow ones starve.
    expect(done()).toBeGreaterThan(101)
  },
)

test('forty accounts on one slow server preempt nobody while slow lanes are free', async () => {
  const { done, pass, queueSlow, yielded } = simulate()
  queueSlow('long', 'pds.other.example', 150_000)
  await pass(2_000)
  for (let n = 0; n < 40; n++) {
    for (let job = 0; job < 6; job++) queueSlow(`slow${n}`, 'pds.slow.example')
  }
  await pass(160_000)
  expect(yielded).toEqual([])
  expect(done()).toBeGreaterThan(10)
})
