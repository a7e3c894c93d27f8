import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServing } from '#main/commands/serve.ts'
import { lockDataDir } from '#main/process/data-lock.ts'
import { endOfBackground } from '#main/process/end-of-background.ts'
import { StartError } from '#main/process/start-failure.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-serve-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const start = (environment: Record<string, string> = {}) =>
  startServing({ port: '0', data: dir }, environment, new AbortController().signal)

test('what could not start lets go of what it had opened', async () => {
  const nobody = 'postgres://nobody@127.0.0.1:9/nothing'
  await expect(start({ DATABASE_URL: nobody })).rejects.toThrow(DatabaseUnavailableError)
  const lock = await lockDataDir(dir)
  await expect(start()).rejects.toThrow(StartError)
  await lock[Symbol.asyncDispose]()
})

const endless = new Promise(() => {})
const gone = AbortSignal.abort()
const running = new AbortController().signal

test.each([
  ['before the signal', running],
  ['after it', gone],
])('work that ends is waited for, %s', async (_, signal) => {
  const order: string[] = []
  const work = Bun.sleep(1).then(() => order.push('work'))
  await endOfBackground(work, signal).then(() => order.push('end'))
  expect(order).toEqual(['work', 'end'])
})

test('work that does not end is left a moment after the signal', async () => {
  await endOfBackground(endless, gone, 1)
  const stop = new AbortController()
  const end = endOfBackground(endless, stop.signal, 1)
  stop.abort()
  await end
})

test('not before it', async () => {
  const end = endOfBackground(endless, running, 1).then(() => 'ended')
  expect(await Promise.race([end, Bun.sleep(20).then(() => 'waits')])).toBe('waits')
})

test('what cannot go on rejects', async () => {
  await expect(endOfBackground(Promise.reject(new Error('?')), running)).rejects.toThrow('?')
})
