import { expect, test } from 'bun:test'
import { WakeUps } from './wake-ups.ts'

const never = 60_000

/** What a wait says that goes on after everything that was due has run. */
const aTurnLater = () => new Promise<string>((resolve) => setImmediate(resolve, 'waits'))

test('a wake-up wakes every subscriber of its topic', async () => {
  const wakeUps = new WakeUps()
  using first = wakeUps.subscribe('jobs')
  using second = wakeUps.subscribe('jobs')
  const waiting = [first.wait(never), second.wait(never)]
  wakeUps.notify('jobs')
  await Promise.all(waiting)
})

test('other topics and disposed subscriptions get no wake-up', async () => {
  const wakeUps = new WakeUps()
  using other = wakeUps.subscribe('site')
  const ended = wakeUps.subscribe('jobs')
  ended[Symbol.dispose]()
  const stop = new AbortController()
  const waiting = [other, ended].map((subscription) => subscription.wait(never, stop.signal))
  wakeUps.notify('jobs')
  const any = Promise.race(waiting).then(() => 'woken')
  expect(await Promise.race([any, aTurnLater()])).toBe('waits')
  stop.abort()
  await Promise.all(waiting)
})

test('wake-ups of forwarded topics are passed on each time, until disposal', () => {
  const wakeUps = new WakeUps()
  const told: string[] = []
  const forwarding = wakeUps.forward(['site', 'account'], (topic) => told.push(topic))
  for (const topic of ['site', 'jobs', 'account', 'site'] as const) wakeUps.notify(topic)
  expect(told).toEqual(['site', 'account', 'site'])
  forwarding[Symbol.dispose]()
  wakeUps.notify('site')
  expect(told).toHaveLength(3)
})

test('a wake-up does not go back to where it came from', () => {
  const wakeUps = new WakeUps()
  const told: string[] = []
  const one = wakeUps.forward(['site'], () => told.push('one'))
  wakeUps.forward(['site'], () => told.push('two'))
  wakeUps.notify('site', one)
  expect(told).toEqual(['two'])
})
