import { expect, test } from 'bun:test'
import { watchForChanges } from './watch-for-changes.ts'

/** What is reported when these are seen, one after the other, having begun with `a`. */
async function tell(...seen: string[]): Promise<string[]> {
  const told: string[] = []
  const ended = new AbortController()
  const watching = watchForChanges('a', {
    poll: async () => seen.shift() ?? '',
    stateOf: (state) => state,
    onChange: async (state) => void told.push(state),
    signal: ended.signal,
    pause: async (_, signal) => {
      if (seen.length === 0) ended.abort()
      signal.throwIfAborted()
    },
  })
  await expect(watching).rejects.toThrow(/abort/)
  return told
}

test.each<[string, string[], string[]]>([
  ['nothing changes', ['a', 'a', 'a'], []],
  ['a change is reported once it was seen twice', ['b', 'b', 'b'], ['b']],
  ['a change that was seen once is not told yet', ['a', 'b'], []],
  ['what comes and goes in between is not told', ['b', 'c', 'c'], ['c']],
  ['what is as it was is no change', ['b', 'a', 'a'], []],
  ['changes one after the other', ['b', 'b', 'c', 'c'], ['b', 'c']],
  ['what never settles is reported with the fifth poll', ['b', 'c', 'd', 'e', 'f', 'g'], ['f']],
])('%s', async (_, seen, told) => expect(await tell(...seen)).toEqual(told))

test('looking takes at most a twentieth of the time', async () => {
  const pauses: number[] = []
  const ended = new AbortController()
  const watching = watchForChanges('a', {
    poll: async () => {
      const until = performance.now() + 40
      while (performance.now() < until);
      return 'a'
    },
    stateOf: (state) => state,
    onChange: async () => {},
    signal: ended.signal,
    pause: async (ms, signal) => {
      pauses.push(ms)
      if (pauses.length === 2) ended.abort()
      signal.throwIfAborted()
    },
  })
  await expect(watching).rejects.toThrow(/abort/)
  expect(pauses[0]).toBe(300)
  expect(pauses[1]).toBeGreaterThanOrEqual(800)
})

test('the signal ends it at once', async () => {
  const ended = new AbortController()
  const watching = watchForChanges('a', {
    poll: async () => 'a',
    stateOf: (state) => state,
    onChange: async () => {},
    signal: ended.signal,
  })
  ended.abort()
  await expect(watching).rejects.toThrow(/abort/)
})
