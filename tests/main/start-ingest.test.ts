import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#main/config/config.ts'
import { startIngest } from '#main/start-ingest.ts'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { alice } from '#tests/support/database/sample-rows.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-ingest-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

// Nobody listens on the discard port.
const nowhere = 'http://127.0.0.1:9'

function start(dataDir: string, more: Record<string, string> = {}) {
  const settings = { DATA_DIR: dataDir, PLC_URL: nowhere, FIREHOSE_URL: nowhere, ...more }
  const config = readConfig({ ...settings, ALLOW_PRIVATE_HOSTS: '1', LOG_LEVEL: 'error' }, {})
  const stop = new AbortController()
  const secrets = ['x'.repeat(32)] as const
  const identities = { forget: () => undefined }
  const ingest = startIngest({
    config,
    secrets,
    wakeUps: new WakeUps(),
    identities,
    signal: stop.signal,
  })
  return { ingest, stop }
}

test('syncs are answered until the signal ends it, errors by what they were', async () => {
  const { ingest, stop } = start(dir)
  await using _ = ingest
  await expect(ingest.sync(alice)).rejects.toThrow(ServerUnreachableError)
  stop.abort()
  await ingest.background
  await expect(ingest.sync(alice)).rejects.toThrow('the service stops')
})

test('whoever waits for a sync is told when it cannot go on, and why', async () => {
  const file = join(dir, 'file')
  await Bun.write(file, '')
  const { ingest } = start(join(file, 'no-folder'))
  await using _ = ingest
  const sync = ingest.sync(alice)
  sync.catch(() => undefined)
  await expect(ingest.background).rejects.toThrow('ingest thread failed')
  await expect(sync).rejects.toThrow('the service stops')
})

test('a database that it cannot have is told as that', async () => {
  const { ingest } = start(dir, { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing' })
  await using _ = ingest
  await expect(ingest.started).rejects.toThrow(DatabaseUnavailableError)
  await expect(ingest.background).rejects.toThrow(DatabaseUnavailableError)
})

test('one that was stopped before it began ends all the same', async () => {
  const { ingest, stop } = start(dir)
  await using _ = ingest
  stop.abort()
  await ingest.background
})
