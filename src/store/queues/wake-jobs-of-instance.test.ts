import { expect, test } from 'bun:test'
import { WakeUps } from '#store/database/wake-ups.ts'
import { subscribeToJobsOf, wakeJobsOf } from './wake-jobs.ts'

test('each instance is woken for its own jobs', () => {
  const wakeUps = new WakeUps()
  using one = subscribeToJobsOf('one', wakeUps)
  using two = subscribeToJobsOf('two', wakeUps)
  wakeJobsOf('two', wakeUps)
  expect([one.isWoken, two.isWoken]).toEqual([false, true])
})

test('the only instance is woken for all', () => {
  const wakeUps = new WakeUps()
  using only = subscribeToJobsOf('', wakeUps)
  for (const instance of ['', 'a former one']) {
    wakeJobsOf(instance, wakeUps)
    expect(only.take()).toBe(true)
  }
})
