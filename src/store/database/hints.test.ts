import { expect, test } from 'bun:test'
import { Hints } from './hints.ts'

const never = 60_000

/** What a wait says that goes on after everything that was due has run. */
const aTurnLater = () => new Promise<string>((resolve) => setImmediate(resolve, 'waits'))

test('a hint wakes everyone who waits for its topic', async () => {
  const hints = new Hints()
  using first = hints.subscribe('jobs')
  using second = hints.subscribe('jobs')
  const waiting = [first.wait(never), second.wait(never)]
  hints.notify('jobs')
  await Promise.all(waiting)
})

test('other topics, and subscriptions that ended, hear nothing', async () => {
  const hints = new Hints()
  using other = hints.subscribe('site')
  const ended = hints.subscribe('jobs')
  ended[Symbol.dispose]()
  const stop = new AbortController()
  const waiting = [other, ended].map((subscription) => subscription.wait(never, stop.signal))
  hints.notify('jobs')
  const any = Promise.race(waiting).then(() => 'woken')
  expect(await Promise.race([any, aTurnLater()])).toBe('waits')
  stop.abort()
  await Promise.all(waiting)
})

test('hints about some topics are told elsewhere too, each time, until that ends', () => {
  const hints = new Hints()
  const told: string[] = []
  const forwarding = hints.forward(['site', 'account'], (topic) => told.push(topic))
  for (const topic of ['site', 'jobs', 'account', 'site'] as const) hints.notify(topic)
  expect(told).toEqual(['site', 'account', 'site'])
  forwarding[Symbol.dispose]()
  hints.notify('site')
  expect(told).toHaveLength(3)
})
