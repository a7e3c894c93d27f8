import { describe, expect, test } from 'bun:test'
import { KeyedSemaphore, Mutex, Semaphore, SemaphoreBusyError } from './semaphore.ts'

// Longer than any run: who still waits when a test has ended must not be refused in the middle of another.
const hourMs = 60 * 60_000
const two = (waitMsMax = hourMs) => new Semaphore({ max: 2, waitingMax: 2, waitMsMax })

/** Whether a promise has settled by the time all work at hand is done. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  for (let i = 0; i < 10; i++) await Promise.resolve()
  return settled
}

const release = (permit: Disposable): void => permit[Symbol.dispose]()

describe('a semaphore', () => {
  test('gives `max` permits, the next when one is released', async () => {
    const semaphore = two()
    const first = await semaphore.acquire()
    await semaphore.acquire()
    const third = semaphore.acquire()
    expect(await isSettled(third)).toBe(false)
    release(first)
    expect(await isSettled(third)).toBe(true)
  })

  test('gives permits in order of arrival, without overtaking', async () => {
    const semaphore = two()
    const permits = [await semaphore.acquire(), await semaphore.acquire()]
    const order: number[] = []
    const waiting = [1, 2].map((n) => semaphore.acquire().then(() => order.push(n)))
    permits.slice(0, 1).forEach(release)
    const late = semaphore.acquire()
    permits.slice(1).forEach(release)
    await Promise.all(waiting)
    expect(order).toEqual([1, 2])
    expect(await isSettled(late)).toBe(false)
  })

  test('gives the lowest rank its permit, and of equal ones the first', async () => {
    const semaphore = new Semaphore({ max: 1 })
    const permit = await semaphore.acquire()
    const order: string[] = []
    const ranks: Record<string, number> = { a: 2, b: 1, c: 0, d: 1 }
    const waiting = Object.keys(ranks).map(async (name) => {
      using _ = await semaphore.acquire(undefined, () => ranks[name] ?? 0)
      order.push(name)
    })
    // As it is when a permit gets free, not as it was before.
    ranks['c'] = 3
    release(permit)
    await Promise.all(waiting)
    expect(order).toEqual(['b', 'd', 'a', 'c'])
  })

  test('rejects a caller when too many wait', async () => {
    const semaphore = two()
    for (let n = 0; n < 4; n++) void semaphore.acquire()
    await expect(semaphore.acquire()).rejects.toBeInstanceOf(SemaphoreBusyError)
  })

  test('rejects every caller that would wait', async () => {
    const semaphore = new Semaphore({ max: 1, waitingMax: 0, key: 'archives' })
    const permit = await semaphore.acquire()
    await expect(semaphore.acquire()).rejects.toMatchObject({ key: 'archives' })
    release(permit)
    expect(await isSettled(semaphore.acquire())).toBe(true)
  })

  test("rejects a waiting caller with its signal's reason, and frees its place", async () => {
    const semaphore = two()
    const permit = await semaphore.acquire()
    await semaphore.acquire()
    const stop = new AbortController()
    const aborted = semaphore.acquire(stop.signal)
    const patient = semaphore.acquire()
    stop.abort(new Error('stopped'))
    await expect(aborted).rejects.toThrow('stopped')
    await expect(semaphore.acquire(stop.signal)).rejects.toThrow('stopped')
    release(permit)
    expect(await isSettled(patient)).toBe(true)
  })

  test('rejects a caller that waits too long, and frees its place', async () => {
    const semaphore = two(5)
    const permit = await semaphore.acquire()
    await semaphore.acquire()
    await expect(semaphore.acquire()).rejects.toBeInstanceOf(SemaphoreBusyError)
    const next = semaphore.acquire()
    release(permit)
    expect(await isSettled(next)).toBe(true)
  })

  test('has one permit more for one that is given back twice', async () => {
    const semaphore = two()
    const permit = await semaphore.acquire()
    await semaphore.acquire()
    for (const _ of [1, 2]) release(permit)
    await semaphore.acquire()
    expect(await isSettled(semaphore.acquire())).toBe(false)
  })
})

test('a mutex runs one piece of work at a time, whatever becomes of the one before', async () => {
  const mutex = new Mutex()
  const gate = Promise.withResolvers<void>()
  const begun: string[] = []
  const use = (name: string, work = async () => {}) =>
    mutex.use(async () => {
      begun.push(name)
      await work()
      return name
    })
  const first = use('first', () => gate.promise)
  const others = [use('second'), use('third')]
  await new Promise(setImmediate)
  expect(begun).toEqual(['first'])
  gate.reject(new Error('failed'))
  await expect(first).rejects.toThrow('failed')
  expect(await Promise.all(others)).toEqual(['second', 'third'])
})

describe('keys', () => {
  const keyed = () => new KeyedSemaphore({ max: 1, waitingMax: 1, waitMsMax: hourMs })

  test('do not wait for each other', async () => {
    const hosts = keyed()
    await hosts.acquire('a')
    expect(await isSettled(hosts.acquire('b'))).toBe(true)
    expect(await isSettled(hosts.acquire('a'))).toBe(false)
  })

  test('have the same limits, and the error names them', async () => {
    const hosts = keyed()
    for (let n = 0; n < 2; n++) void hosts.acquire('a')
    await expect(hosts.acquire('a')).rejects.toMatchObject({ key: 'a' })
  })

  test('create no semaphore for an aborted signal', async () => {
    const hosts = keyed()
    const stopped = AbortSignal.abort(new Error('stopped'))
    await expect(hosts.acquire('a', stopped)).rejects.toThrow('stopped')
    expect(await isSettled(hosts.acquire('a'))).toBe(true)
  })

  test('keep their limit when a permit of before is given back once more', async () => {
    const hosts = keyed()
    const before = await hosts.acquire('a')
    release(before)
    await hosts.acquire('a')
    release(before)
    expect(await isSettled(hosts.acquire('a'))).toBe(false)
  })
})
