import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { onEachDatabase } from '#tests/support/database/databases.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'

// Two services on one database, each in a folder of its own: until many of them are supported, one at a time.

await onEachDatabase('two processes', (make, dialect) => {
  if (dialect === 'sqlite') return
  test('one serves, commands run beside it, and whoever comes after it starts', async () => {
    await using own = await make()
    const dir = await mkdtemp(join(tmpdir(), 'sitehost-second-'))
    const environment = {
      ...{ DATABASE_URL: own.options.url ?? '', LOG_LEVEL: 'error', ALLOW_PRIVATE_HOSTS: '1' },
      ...{ PLC_URL: 'http://127.0.0.1:9', FIREHOSE_URL: 'http://127.0.0.1:9' },
    }
    const here = (name: string) => ['--data', join(dir, name)]
    const start = (name: string) =>
      startServiceProcess(['serve', '--port', '0', ...here(name)], environment)
    const refused = (name: string) =>
      runCommand(['serve', '--port', '0', ...here(name)], environment)
    {
      await using first = await start('first')
      const second = await refused('second')
      expect(second).toMatchObject({ code: 1, said: [] })
      expect(second.complaints).toBe(
        `sitehost: another Sitehost uses this database (process ${first.pid} on ${hostname()}): stop it, or choose another database with DATABASE_URL\n`,
      )
      expect(await runCommand(['unread', ...here('first')], environment)).toMatchObject({ code: 0 })
      expect(await first.end('SIGTERM')).toBe(0)
    }
    {
      await using next = await start('second')
      await next.end('SIGKILL')
    }
    await using last = await start('first')
    expect(await last.end('SIGTERM')).toBe(0)
    await rm(dir, { recursive: true })
  }, 120_000)
})
