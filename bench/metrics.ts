// `bun bench/metrics.ts [starts] [seconds]`: what counting a request costs: CPU of a request with it and without, in short
// windows of one process in random order. Two starts of one server differ by up to 28 %, by what the compiler happens to do,
// and so do minutes of one start, so that only neighbouring windows compare. Even those differ by 4 % without any counting, so
// that each request is counted 20 times and the difference divided by it. The server is pinned to one core and wrk to the
// other. Needs what Debian calls wrk and util-linux.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '#tests/support/eventually.ts'
import type { CountingCosts } from './edge/counting-switch.ts'
import { load, wrkScript } from './edge/load.ts'
import { type BenchServer, startSitehost } from './edge/servers.ts'
import { fillSites, pagePath, smallPath } from './edge/sites.ts'

const starts = Number(process.argv[2] ?? 3)
const seconds = Number(process.argv[3] ?? 30)
const sites = 200
const warmUpSeconds = 5
const shareMax = 0.02
const timesCounted = 20
const countingSwitch = join(import.meta.dir, 'edge/counting-switch.ts')

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-metrics-bench-'))
  try {
    const dataDir = join(dir, 'data')
    const { hosts } = await fillSites({ dataDir, baseDomain: 'localhost' }, sites)
    const paths = [pagePath, smallPath].map((path) => ({ path, measured: [] as Micros[] }))
    for (let start = 0; start < starts; start++) {
      const costsFile = join(dir, `costs-${start}.json`)
      await using server = await startSitehost(
        { dataDir },
        {
          file: countingSwitch,
          environment: { COUNTING_COSTS: costsFile, COUNTING_TIMES: `${timesCounted}` },
        },
      )
      for (const { path, measured } of paths) {
        const headers = { 'Accept-Encoding': 'gzip' }
        const requests = hosts.map((host) => ({ host, path, headers }))
        const script = join(dir, `${path.slice(1) || 'page'}.lua`)
        await Bun.write(script, wrkScript(requests, 200))
        await load(server, script, warmUpSeconds)
        const before = await costsOf(server, costsFile)
        await load(server, script, seconds)
        measured.push(microsBetween(before, await costsOf(server, costsFile)))
      }
    }
    print(`CPU of a request, medians of ${starts} starts, ${seconds} s each`)
    for (const { path, measured } of paths) report(path, measured)
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** µs of CPU: of counting a request once, and of a request without it. */
interface Micros {
  readonly counting: number
  readonly plain: number
}

async function costsOf({ pid }: BenchServer, path: string): Promise<CountingCosts> {
  await rm(path, { force: true })
  process.kill(pid, 'SIGUSR2')
  return await eventually(async () => (await Bun.file(path).json()) as CountingCosts)
}

function microsBetween(before: CountingCosts, after: CountingCosts): Micros {
  const micros = (half: keyof CountingCosts): number =>
    (after[half].cpuMicros - before[half].cpuMicros) /
    (after[half].requests - before[half].requests)
  const plain = micros('plain')
  return { counting: (micros('counted') - plain) / timesCounted, plain }
}

function report(path: string, measured: readonly Micros[]): void {
  const counting = median(measured.map((each) => each.counting))
  const plain = median(measured.map((each) => each.plain))
  const shares = measured.map((each) => each.counting / each.plain)
  const verdict = median(shares) <= shareMax ? '≤ 2 %' : 'MISSED ≤ 2 %'
  const each = shares.map((share) => `${(share * 100).toFixed(1)} %`).join(', ')
  print(
    `${path.padEnd(12)}${plain.toFixed(2)} µs, counting ${counting.toFixed(2)} µs: ` +
      `${(median(shares) * 100).toFixed(1)} %, ${verdict} (of each start ${each})`,
  )
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main()
