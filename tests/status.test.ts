import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onEachDatabase } from '#tests/support/database/databases.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'

await onEachDatabase('sitehost status', (make, dialect) => {
  test('beside the service, after a backup, and when it has stopped', async () => {
    await using own = dialect === 'postgres' ? await make() : null
    const dir = await mkdtemp(join(tmpdir(), 'sitehost-status-'))
    const data = ['--data', join(dir, 'data')]
    const environment = {
      ...{ PORT: await ownPort(), LOG_LEVEL: 'error', DATABASE_URL: own?.options.url ?? '' },
      ...{ FIREHOSE_URL: 'http://127.0.0.1:9', PLC_URL: 'http://127.0.0.1:9' },
    }
    const status = async () => {
      const { code, said } = await runCommand(['status', '--json', ...data], environment)
      expect(code).toBe(0)
      return JSON.parse(said.join())
    }
    const began = Date.now()
    {
      await using service = await startServiceProcess(['serve', ...data], environment)
      const found = await status()
      expect(found).toMatchObject({
        ...{ service: 'running', accounts: 0, sites: 0, siteBytes: 0, jobs: 0, lastBackupAt: null },
        ...{ queues: { sites: 0, versions: 0, accounts: 0, parked: 0 }, firehoseSeenAt: null },
        ...{
          certificates24h: 0,
          certificates: null,
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        },
      })
      expect(found.startedAt).toBeWithin(began - 2_000, Date.now())
      expect(found.databaseBytes).toBeGreaterThan(1_000)
      expect(found.disk.free).toBeWithin(1, found.disk.total)
      expect((await runCommand(['backup', join(dir, 'backup'), ...data], environment)).code).toBe(0)
      expect((await status()).lastBackupAt).toBeWithin(began, Date.now())
      const { said } = await runCommand(['status', ...data], environment)
      expect(said[0]).toMatch(/^service {7}running for \d+ seconds?$/)
      expect(said.at(-1)).toMatch(/^backup {8}\d+ seconds? ago$/)
      expect(await service.end('SIGKILL')).toBe(137)
    }
    expect(await status()).toMatchObject({ service: 'stopped', startedAt: null })
    await rm(dir, { recursive: true })
  }, 120_000)
})
