import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDataDir } from '#main/process/data-lock.ts'
import { StartError } from '#main/process/start-failure.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { startServing } from './serve.ts'

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
