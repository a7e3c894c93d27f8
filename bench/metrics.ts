// `bun bench/metrics.ts [rounds] [seconds]`: what counting requests costs: CPU of a request with it and with it compiled
// out, in alternating rounds, both servers pinned to one core and wrk to the other. Needs what Debian calls wrk and util-linux.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load, wrkScript } from './edge/load.ts'
import { type BenchServer, startSitehost } from './edge/servers.ts'
import { fillSites, pagePath, smallPath } from './edge/sites.ts'

const rounds = Number(process.argv[2] ?? 20)
const seconds = Number(process.argv[3] ?? 3)
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
    await using counting = await startSitehost({ dataDir: first })
    await using plain = await startSitehost({ dataDir: second }, withoutMetrics)
    print(`CPU of a request, medians of ${rounds} rounds of ${seconds} s`)
    for (const path of [pagePath, smallPath]) {
      const requests = hosts.map((host) => ({ host, path, headers: { 'Accept-Encoding': 'gzip' } }))
      const script = join(dir, `${path.slice(1) || 'page'}.lua`)
      await Bun.write(script, wrkScript(requests, 200))
      await compare(path, counting, plain, script)
    }
  } finally {
    await rm(dir, { recursive: true })
  }
}

async function compare(
  path: string,
  counting: BenchServer,
  plain: BenchServer,
  script: string,
): Promise<void> {
  const cpuOf = async (server: BenchServer): Promise<number> =>
    (await load(server, script, seconds)).cpuMicros
  for (const server of [counting, plain]) await load(server, script, warmUpSeconds)
  const measured: [counting: number, plain: number][] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) measured.push([await cpuOf(counting), await cpuOf(plain)])
    else {
      const first = await cpuOf(plain)
      measured.push([await cpuOf(counting), first])
    }
  }
  const [on, off] = [
    median(measured.map(([value]) => value)),
    median(measured.map(([, value]) => value)),
  ]
  // Of pairs that were measured together: what else the machine does changes both.
  const share = median(measured.map(([value, other]) => value / other - 1))
  const verdict = share <= shareMax ? '≤ 2 %' : 'MISSED ≤ 2 %'
  print(
    `${path.padEnd(12)}${on.toFixed(2)} µs counted, ${off.toFixed(2)} µs not: ${(share * 100).toFixed(1)} %, ${verdict}`,
  )
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main()
