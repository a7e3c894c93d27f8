// `bun bench/soak/backfill.ts [sites]`: so many sites (200) on a development network; two fresh instances
// bring all of them by one backfill each, and have to answer alike, byte by byte.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { createSession } from '#tests/support/accounts.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { expectAlike, writeSites } from '#tests/support/processes/twin-instances.ts'
import { startDevnet } from '../../devnet/start.ts'

const count = Number(process.argv[2] ?? 200)
const dir = await mkdtemp(join(tmpdir(), 'sitehost-backfill-'))
{
  await using network = await startDevnet({ dir: join(dir, 'devnet') })
  const accounts = await Promise.all(
    network.accounts.map(({ handle, password }) => createSession(network.pds, handle, password)),
  )
  const sites = await writeSites(accounts, count)
  const settings = { ...devSettings(network), LOG_LEVEL: 'error' }
  for (const name of ['one', 'two']) {
    const began = performance.now()
    const { code, said, complaints } = await runCommand(
      ['backfill', '--all', '--data', join(dir, name)],
      settings,
    )
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    process.stdout.write(`${said.at(-1)} after ${seconds} s, code ${code} ${complaints}\n`)
  }
  const start = (name: string) =>
    startServiceProcess(['serve', '--port', '0', '--data', join(dir, name)], settings)
  await using one = await start('one')
  await using two = await start('two')
  await expectAlike([one.ready.app, two.ready.app], sites)
  process.stdout.write(`${count} sites: both answer alike\n`)
}
await rm(dir, { recursive: true })
