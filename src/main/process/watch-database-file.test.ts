import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from './start-failure.ts'
import { watchDatabaseFile } from './watch-database-file.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'watch-'))
  file = join(dir, 'sitehost.db')
  await Bun.write(file, 'one')
})
afterEach(() => rm(dir, { recursive: true }))

const watch = (signal: AbortSignal): Promise<void> =>
  watchDatabaseFile(file, { signal, everyMs: 1 })

test.each([
  ['deleted', () => rm(file)],
  [
    'replaced',
    async () => {
      await Bun.write(join(dir, 'other'), 'two')
      await rename(join(dir, 'other'), file)
    },
  ],
])('a database file that is %s ends the service', async (_, change) => {
  const { signal } = new AbortController()
  const watching = watch(signal).then(
    () => null,
    (error: unknown) => error,
  )
  await change()
  expect(await watching).toBeInstanceOf(StartError)
})

test('one that is written to does not, until the service stops', async () => {
  const stop = new AbortController()
  const watching = watch(stop.signal)
  for (let n = 0; n < 20; n++) await Bun.write(file, `content ${n}`)
  stop.abort()
  await watching
})
