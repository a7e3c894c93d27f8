// `bun bench/soak/new-versions.ts [versions] [readers]`: so many versions (200) of a site, one after the other,
// while so many readers (32) load its page and the 20 assets that it names. Nothing may be mixed or missing, and
// a version has to be visible within a second after it was sent to the account's server.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { publishWhileRead } from '#tests/support/visitors/new-versions.ts'
import { startDevnet } from '../../devnet/start.ts'

const versions = Number(process.argv[2] ?? 200)
const readers = Number(process.argv[3] ?? 32)
const visibleMsMax = 1000

const dir = await mkdtemp(join(tmpdir(), 'sitehost-versions-'))
{
  await using network = await startDevnet({ dir: join(dir, 'devnet') })
  await using service = await startServiceProcess(
    ['serve', '--port', '0', '--data', join(dir, 'sitehost')],
    { ...devSettings(network), INGEST: 'all', LOG_LEVEL: 'error' },
  )
  const { app } = service.ready
  const end = await publishWhileRead({ network, app, versions, readers })
  const at = (share: number): number =>
    end.visibleMs[Math.ceil(share * end.visibleMs.length) - 1] ?? Number.NaN
  const late = end.visibleMs.filter((ms) => ms > visibleMsMax).length
  const [p50, p99, max] = [at(0.5), at(0.99), at(1)].map((ms) => ms.toFixed(0))
  print(`${versions} versions, ${readers} readers, ${end.visits} visits of 21 requests`)
  print(`visible after ${p50} ms (p50), ${p99} ms (p99), ${max} ms (max); ${late} later than 1 s`)
  print(`mixed or missing: ${end.complaints.length}`)
  for (const complaint of end.complaints.slice(0, 10)) print(`  ${complaint}`)
  if (late > 0 || end.complaints.length > 0) process.exitCode = 1
}
await rm(dir, { recursive: true })

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
