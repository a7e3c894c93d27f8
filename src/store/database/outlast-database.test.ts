import { expect, test } from 'bun:test'
import type { Log } from '#observe/log.ts'
import { DatabaseUnavailableError } from './database-unavailable.ts'
import { outlastDatabase } from './outlast-database.ts'

const away = new DatabaseUnavailableError('postgres', new Error('away'))
const warnings: string[] = []
const warn: Log['warn'] = (message) => warnings.push(message)
const log: Log = { debug: () => {}, info: () => {}, warn, error: () => {} }

test('work goes on after the database was away, until the signal ends it', async () => {
  const stop = new AbortController()
  let turns = 0
  const work = async (): Promise<void> => {
    turns += 1
    if (turns === 2) throw away
    if (turns === 4) stop.abort()
  }
  await outlastDatabase('work', work, { log, signal: stop.signal, pauseMs: 1 })
  expect(turns).toBe(4)
  expect(warnings).toEqual(['work waits for the database'])
})

test('the pause ends with the signal', async () => {
  const stop = new AbortController()
  const work = async (): Promise<void> => {
    queueMicrotask(() => stop.abort())
    throw away
  }
  await outlastDatabase('work', work, { log, signal: stop.signal, pauseMs: 3_600_000 })
})

test('other failures are thrown', async () => {
  const defect = new Error('defect')
  const { signal } = new AbortController()
  await expect(outlastDatabase('work', () => Promise.reject(defect), { log, signal })).rejects.toBe(
    defect,
  )
})
