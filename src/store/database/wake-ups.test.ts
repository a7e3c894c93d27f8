import { expect, test } from 'bun:test'
import { parseWakeUp, WakeUps, wakeUpText } from './wake-ups.ts'

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

test('a wake-up about one row wakes those who wait for it or for any row', async () => {
  const wakeUps = new WakeUps()
  using own = wakeUps.subscribe('job-progress', 'one')
  using other = wakeUps.subscribe('job-progress', 'two')
  using any = wakeUps.subscribe('job-progress')
  const told: unknown[] = []
  wakeUps.forward(['job-progress'], (...wakeUp) => told.push(wakeUp))
  wakeUps.notify('job-progress', { about: 'one' })
  expect([own, other, any].map(({ isWoken }) => isWoken)).toEqual([true, false, true])
  wakeUps.notify('job-progress')
  expect(other.isWoken).toBe(true)
  expect(told).toEqual([
    ['job-progress', 'one'],
    ['job-progress', undefined],
  ])
})

test('that a topic is settled is passed on, and wakes nobody', () => {
  const wakeUps = new WakeUps()
  using waiting = wakeUps.subscribe('site')
  const settled: string[] = []
  wakeUps.forward(
    ['site', 'version'],
    () => {},
    (topic) => settled.push(topic),
  )
  wakeUps.settle('site')
  expect([settled, waiting.isWoken]).toEqual([['site'], false])
})

test('a wake-up as text is read as it was written; another release may have other topics', () => {
  for (const about of [undefined, 'site did:plc:a/blog'] as const) {
    const text = wakeUpText('ingested', about)
    expect(parseWakeUp(text)).toEqual({ topic: 'ingested', ...(about !== undefined && { about }) })
  }
  for (const text of ['', 'unheard-of', 'unheard-of of', ' jobs'])
    expect(parseWakeUp(text)).toBeNull()
})

test('a wake-up does not go back to where it came from', () => {
  const wakeUps = new WakeUps()
  const told: string[] = []
  const one = wakeUps.forward(['site'], () => told.push('one'))
  wakeUps.forward(['site'], () => told.push('two'))
  wakeUps.notify('site', { from: one })
  expect(told).toEqual(['two'])
})
