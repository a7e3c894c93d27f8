import { describe, expect, test } from 'bun:test'
import { SingleFlight } from './single-flight.ts'

/** A flight whose calls end when the test says so. */
function setUp() {
  const flight = new SingleFlight<string, number>()
  const calls: PromiseWithResolvers<number>[] = []
  const isCurrent: (() => boolean)[] = []
  const run = (key = 'a') =>
    flight.run(key, (isCurrentCall) => {
      const call = Promise.withResolvers<number>()
      calls.push(call)
      isCurrent.push(isCurrentCall)
      return call.promise
    })
  return { flight, calls, isCurrent, run }
}

describe('one call', () => {
  test('serves all callers while it runs', async () => {
    const { flight, calls, run } = setUp()
    const all = [run(), run(), run()]
    expect(flight.has('a')).toBe(true)
    calls[0]?.resolve(1)
    expect(await Promise.all(all)).toEqual([1, 1, 1])
    expect(calls).toHaveLength(1)
  })

  test('that fails, fails for all of them', async () => {
    const { calls, run } = setUp()
    const all = [run(), run()]
    calls[0]?.reject(new Error('failed'))
    for (const one of all) await expect(one).rejects.toThrow('failed')
  })

  test.each(['resolve', 'reject'] as const)('is over when it has ended: %s', async (end) => {
    const { flight, calls, run } = setUp()
    const first = run().catch(() => 0)
    calls[0]?.[end](1)
    await first
    expect(flight.size).toBe(0)
    const second = run()
    calls[1]?.resolve(2)
    expect(await second).toBe(2)
  })

  test('does not keep other keys waiting', () => {
    const { flight, calls, run } = setUp()
    void run('a')
    void run('b')
    expect(calls).toHaveLength(2)
    expect(flight.size).toBe(2)
  })
})

describe('a forgotten call', () => {
  test.each([
    ['by its key', (flight: SingleFlight<string, number>) => flight.forget('a')],
    ['with all others', (flight: SingleFlight<string, number>) => flight.forgetAll()],
  ])('goes on, and the next is another: %s', async (_, forget) => {
    const { flight, calls, isCurrent, run } = setUp()
    const first = run()
    expect(isCurrent[0]?.()).toBe(true)
    forget(flight)
    const second = run()
    expect(isCurrent.map((is) => is())).toEqual([false, true])
    calls[0]?.resolve(1)
    expect(await first).toBe(1)
    // The end of the first is not the end of the second.
    expect(flight.has('a')).toBe(true)
    calls[1]?.resolve(2)
    expect(await second).toBe(2)
  })
})
