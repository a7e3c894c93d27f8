import { expect, test } from 'bun:test'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'
import { DatabaseUnavailableError } from './database-unavailable.ts'
import { waitForDatabase } from './wait-for-database.ts'

const away = new DatabaseUnavailableError('postgres', new Error('away'))
const warnings: string[] = []
const warn: Log['warn'] = (message) => warnings.push(message)
const log: Log = { debug: () => {}, info: () => {}, warn, error: () => {} }

test('a loop continues after the database was unavailable', async () => {
  const stop = new AbortController()
  const { signal } = stop
  let turns = 0
  const work = async (): Promise<number> => {
    turns += 1
    if (turns === 2) throw away
    if (turns === 4) stop.abort()
    return 0
  }
  await everyOrWhenWoken(work, {
    signal,
    onError: waitForDatabase('work', { log, signal, pauseMs: 1 }),
  })
  expect(turns).toBe(4)
  expect(warnings).toEqual(['work waits for the database'])
})

test('the pause ends with the signal', async () => {
  const stop = new AbortController()
  queueMicrotask(() => stop.abort())
  await waitForDatabase('work', { log, signal: stop.signal, pauseMs: 3_600_000 })(away)
})

test('other failures are thrown', async () => {
  const defect = new Error('defect')
  const { signal } = new AbortController()
  await expect(waitForDatabase('work', { log, signal })(defect)).rejects.toBe(defect)
})
