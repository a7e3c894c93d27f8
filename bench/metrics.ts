// `bun bench/metrics.ts [starts] [seconds]`: what counting requests costs: CPU of a request with it and with it compiled
// out, in alternating rounds, both servers pinned to one core and wrk to the other. Two starts of one server differ by up to
// 5 %, by what the compiler happens to do, so that the servers are started several times. Needs what Debian calls wrk and
// util-linux.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load, wrkScript } from './edge/load.ts'
import { type BenchServer, startSitehost } from './edge/servers.ts'
import { fillSites, pagePath, smallPath } from './edge/sites.ts'

const starts = Number(process.argv[2] ?? 7)
const seconds = Number(process.argv[3] ?? 2)
const rounds = 4
const sites = 200
const warmUpSeconds = 5
const shareMax = 0.02
const withoutMetrics = join(import.meta.dir, 'edge/without-metrics.ts')

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-metrics-bench-'))
  try {
    const [first, second] = [join(dir, 'first'), join(dir, 'second')]
    const { hosts } = await fillSites({ dataDir: first, baseDomain: 'localhost' }, sites)
    await cp(first, second, { recursive: true })
    const paths = [pagePath, smallPath].map((path) => ({ path, pairs: [] as Pair[] }))
    for (let start = 0; start < starts; start++) {
      await using counting = await startSitehost({ dataDir: first })
      await using plain = await startSitehost({ dataDir: second }, withoutMetrics)
      for (const { path, pairs } of paths) {
        const headers = { 'Accept-Encoding': 'gzip' }
        const requests = hosts.map((host) => ({ host, path, headers }))
        const script = join(dir, `${path.slice(1) || 'page'}.lua`)
        await Bun.write(script, wrkScript(requests, 200))
        pairs.push(await measure(counting, plain, script))
      }
    }
    print(`CPU of a request, medians of ${starts} starts, ${rounds} rounds of ${seconds} s each`)
    for (const { path, pairs } of paths) report(path, pairs)
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** µs of CPU of a request. */
interface Pair {
  readonly counting: number
  readonly plain: number
}

/** The medians of these two servers, in rounds of which each is first in every other one. */
async function measure(counting: BenchServer, plain: BenchServer, script: string): Promise<Pair> {
  const cpuOf = async (server: BenchServer): Promise<number> =>
    (await load(server, script, seconds)).cpuMicros
  for (const server of [counting, plain]) await load(server, script, warmUpSeconds)
  const measured: Pair[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      measured.push({ counting: await cpuOf(counting), plain: await cpuOf(plain) })
    } else {
      const first = await cpuOf(plain)
      measured.push({ counting: await cpuOf(counting), plain: first })
    }
  }
  return {
    counting: median(measured.map((pair) => pair.counting)),
    plain: median(measured.map((pair) => pair.plain)),
  }
}

function report(path: string, pairs: readonly Pair[]): void {
  const on = median(pairs.map(({ counting }) => counting))
  const off = median(pairs.map(({ plain }) => plain))
  const shares = pairs.map(({ counting, plain }) => counting / plain - 1).toSorted((a, b) => a - b)
  const share = on / off - 1
  const verdict = share <= shareMax ? '≤ 2 %' : 'MISSED ≤ 2 %'
  const [least, most] = [shares[0] ?? 0, shares.at(-1) ?? 0].map((each) => (each * 100).toFixed(1))
  print(
    `${path.padEnd(12)}${on.toFixed(2)} µs counted, ${off.toFixed(2)} µs not: ${(share * 100).toFixed(1)} %, ${verdict}` +
      ` (of one start ${least} to ${most} %)`,
  )
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main()
