// `bun bench/edge.ts [rounds] [seconds]`: what an answer to a visitor costs, beside nginx and Caddy with the
// same files and Bun with nothing but the answer, each server pinned to one core and wrk to the other. Medians of
// alternating rounds. Needs what Debian calls wrk and util-linux, compares with nginx and caddy where they are installed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchCase, benchCases } from './edge/cases.ts'
import { load, type Measure } from './edge/load.ts'
import {
  type BenchServer,
  type Folders,
  startBare,
  startCaddy,
  startNginx,
  startSitehost,
} from './edge/servers.ts'
import { fillSites, pagePath } from './edge/sites.ts'

const rounds = Number(process.argv[2] ?? 5)
const seconds = Number(process.argv[3] ?? 3)
const sites = 10_000
/** What is compiled while it runs is at its best after some hundred thousand requests: 8 s of the first case. */
const warmUpSeconds = 5
const firstWarmUpSeconds = 15

async function main(): Promise<void> {
  for (const tool of ['wrk', 'taskset']) {
    if (Bun.which(tool) === null) throw new Error(`${tool} is missing: it makes the load`)
  }
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-edge-bench-'))
  try {
    await compare({ dataDir: join(dir, 'data'), wwwDir: join(dir, 'www'), workDir: dir })
  } finally {
    await rm(dir, { recursive: true })
  }
}

async function compare(folders: Folders): Promise<void> {
  print(`filling ${sites} sites`)
  const filled = await fillSites({ ...folders, baseDomain: 'localhost' }, sites)
  await using opened = new AsyncDisposableStack()
  const servers: BenchServer[] = []
  const sitehost = opened.use(await startSitehost(folders))
  servers.push(sitehost)
  for (const start of [startNginx, startCaddy]) {
    const server = await start(folders)
    if (server !== null) servers.push(opened.use(server))
  }
  const bare = opened.use(await startBare(sitehost, filled.hosts[0] ?? '', pagePath))
  for (const name of ['nginx', 'caddy'] as const) {
    if (!servers.some((server) => server.name === name)) print(`${name} is missing: not compared`)
  }
  print(`${rounds} rounds of ${seconds} s; requests a second, and CPU of the server for each`)
  let warmUp = firstWarmUpSeconds
  for await (const benchCase of benchCases(servers, bare, filled, folders.workDir)) {
    printCase(benchCase, await measure(benchCase, warmUp))
    warmUp = warmUpSeconds
  }
  const status = await Bun.file(`/proc/${servers[0]?.pid}/status`).text()
  print(`resident memory of sitehost: ${/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]} kB`)
}

type Measures = ReadonlyMap<string, Measure>

/** The medians, by runner. Each runs once in a round, and another one begins each round. */
async function measure({ runners }: BenchCase, warmUp: number): Promise<Measures> {
  const measured = new Map(runners.map(({ who }) => [who, [] as Measure[]]))
  for (const { server, script } of runners) await load(server, script, warmUp)
  for (let round = 0; round < rounds; round++) {
    const first = round % runners.length
    for (const { who, server, script } of [...runners.slice(first), ...runners.slice(0, first)]) {
      measured.get(who)?.push(await load(server, script, seconds))
    }
  }
  return new Map(
    Array.from(measured, ([who, measures]) => {
      const of = (key: keyof Measure): number => median(measures.map((measure) => measure[key]))
      return [who, { requestsPerSecond: of('requestsPerSecond'), cpuMicros: of('cpuMicros') }]
    }),
  )
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

function printCase({ what, targets }: BenchCase, measures: Measures): void {
  print(`\n${what}`)
  for (const [who, { requestsPerSecond, cpuMicros }] of measures) {
    const rate = requestsPerSecond.toFixed(0).padStart(8)
    print(`  ${who.padEnd(28)}${rate} /s${cpuMicros.toFixed(1).padStart(10)} µs`)
  }
  for (const { of, to, by, atLeast = 0, atMost = Number.POSITIVE_INFINITY } of targets) {
    const [left, right] = [measures.get(of)?.[by], measures.get(to)?.[by]]
    if (left === undefined || right === undefined) continue
    const ratio = left / right
    const wanted = atLeast > 0 ? `≥ ${atLeast}` : `≤ ${atMost}`
    const verdict = ratio >= atLeast && ratio <= atMost ? wanted : `MISSED ${wanted}`
    const unit = by === 'cpuMicros' ? 'CPU of' : 'requests of'
    print(`  ${of}: ${ratio.toFixed(2)} × the ${unit} ${to}, ${verdict}`)
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main()
