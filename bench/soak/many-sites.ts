// `bun bench/soak/many-sites.ts [sites]`: what so many known sites (10 000) take in memory, before and after
// somebody visits each of them, and how soon the service answers after its start. Budgets: 150 MB idle, 2 kB a known
// site, what is configured for those in memory, and 1.5 s.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { eventually } from '#tests/support/eventually.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { fillSites, pagePath } from '../edge/sites.ts'

const count = Number(process.argv[2] ?? 10_000)
const visitsAtOnce = 16
const mebibyte = 1024 * 1024
const idleBytesMax = 150_000_000
const knownSiteBytesMax = 2000
const firstAnswerMsMax = 1500

/**
 * The defaults, and small bounds, which evict most of what is visited. The latter as `docs/operating.md` configures a
 * small machine: the garbage collector otherwise takes its time on a large one.
 */
const bounds = [
  { snapshots: 128 * mebibyte, bodies: 256 * mebibyte, environment: {} },
  {
    snapshots: 16 * mebibyte,
    bodies: 32 * mebibyte,
    environment: { BUN_JSC_forceRAMSize: '300000000' },
  },
]

const dir = await mkdtemp(join(tmpdir(), 'sitehost-many-'))
const idleBytes = await idleWithoutSites()
const dataDir = join(dir, 'filled')
print(`filling ${count} sites`)
const { hosts } = await fillSites({ dataDir, baseDomain: 'localhost' }, count)
for (const bound of bounds) await measure(bound)
await rm(dir, { recursive: true })

async function idleWithoutSites(): Promise<number> {
  await using service = await start(join(dir, 'empty'))
  const idle = await service.residentBytes()
  print(`no sites: ${megabytes(idle)} idle (${verdict(idle, idleBytesMax)} 150 MB)`)
  return idle
}

async function measure({ snapshots, bodies, environment }: (typeof bounds)[number]): Promise<void> {
  const began = performance.now()
  await using service = await start(dataDir, {
    ...environment,
    SNAPSHOT_MEMORY_BYTES: String(snapshots),
    BODY_MEMORY_BYTES: String(bodies),
  })
  await eventually(() => visit(service, hosts[0] ?? ''))
  const firstMs = performance.now() - began
  const idle = await service.residentBytes()
  const ways = { atOnce: visitsAtOnce, signal: new AbortController().signal }
  await mapAtOnce(hosts, ways, (host) => visit(service, host))
  const visited = await service.residentBytes()
  await mapAtOnce(hosts, ways, (host) => visit(service, host))
  const again = await service.residentBytes()

  const knownBytes = (idle - idleBytes) / count
  const visitedBytes = (visited - idle) / count
  const growth = Math.max(visited, again) - idle
  print(`${count} sites, ${megabytes(snapshots)} for snapshots, ${megabytes(bodies)} for bodies`)
  print(
    `  first 200 after ${firstMs.toFixed(0)} ms (${verdict(firstMs, firstAnswerMsMax)} 1500 ms)`,
  )
  print(`  ${megabytes(idle)} idle (${verdict(idle, idleBytesMax)} 150 MB)`)
  print(
    `  ${knownBytes.toFixed(0)} bytes a known site (${verdict(knownBytes, knownSiteBytesMax)} 2 kB)`,
  )
  print(
    `  ${megabytes(visited)} after a visit to each, ${visitedBytes.toFixed(0)} bytes a visited site; ${megabytes(again)} after two`,
  )
  print(`  grew by ${megabytes(growth)} (${verdict(growth, snapshots + bodies)} both bounds)`)
}

function start(data: string, environment: Record<string, string> = {}): Promise<ServiceProcess> {
  return startServiceProcess(['serve', '--port', '0', '--data', data], {
    LOG_LEVEL: 'error',
    FIREHOSE_URL: 'http://127.0.0.1:9',
    ...environment,
  })
}

async function visit(service: ServiceProcess, host: string): Promise<void> {
  const { port } = new URL(service.ready.app)
  const answer = await fetch(`http://127.0.0.1:${port}${pagePath}`, {
    headers: { host, 'accept-encoding': 'gzip' },
    decompress: false,
  })
  await answer.bytes()
  if (answer.status !== 200) throw new Error(`${host}: ${answer.status}`)
}

function verdict(value: number, max: number): string {
  if (value > max) process.exitCode = 1
  return value > max ? 'OVER' : 'within'
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
