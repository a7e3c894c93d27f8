import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuMicrosOf, runWrk, wrkCommand, wrkScript } from '../edge/load.ts'
import { fillSites, pagePath } from '../edge/sites.ts'
import { median } from '../support/rows.ts'
import { shareCpu } from './cpu-share.ts'
import { type ScaledServer, startEdges, startWorkers } from './edge-servers.ts'

const sites = 200
const warmUpSeconds = 10
/** Of a processor, for each process: two of them and what makes the load find room on two processors. */
const partOfProcessor = 0.35
const wanted = 1.8

interface Measure {
  readonly requestsPerSecond: number
  /** Of all processes that answer, for one request. */
  readonly cpuMicros: number
  /** The least that one of them had to do, as part of the most. */
  readonly balance: number
}

/**
 * What one and two edge processes serve, and one and two workers of nginx with the same files. Where servers and load
 * share the processors, two servers have less than twice what one has. So each process gets the same small share of a
 * processor: then the servers are the bound, in both cases, and the load has what it needs.
 */
export async function scaleEdge(rounds: number, seconds: number): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-scale-'))
  try {
    await using opened = new AsyncDisposableStack()
    const [one, two, www] = [join(dir, 'one'), join(dir, 'two'), join(dir, 'www')]
    const { hosts } = await fillSites({ dataDir: one, wwwDir: www, baseDomain: 'localhost' }, sites)
    await cp(one, two, { recursive: true })
    const script = join(dir, 'page.lua')
    const headers = { 'Accept-Encoding': 'gzip' }
    const requests = hosts.map((host) => ({ host, path: pagePath, headers }))
    await Bun.write(script, wrkScript(requests, 200))
    const servers = [await startEdges(one, 1), await startEdges(two, 2)]
    for (const workers of [1, 2]) {
      const server = await startWorkers(www, dir, workers)
      if (server === null) print('nginx is missing: not compared')
      else servers.push(server)
    }
    for (const server of servers) opened.use(server)
    for (const { port } of servers) await runWrk(wrkCommand(port, script, warmUpSeconds))
    print(`${rounds} rounds of ${seconds} s, medians; a page of 12 kB, gzip, of ${sites} sites`)
    print('\nservers and load share all processors')
    report(servers, await measureAll(servers, rounds, (server) => measure(server, script, seconds)))
    print(`\neach process has ${partOfProcessor} of a processor`)
    const limited = await measureAll(servers, rounds, async (server) => {
      await using _ = await shareCpu(server.pids, partOfProcessor)
      return await measure(server, script, seconds)
    })
    report(servers, limited)
  } finally {
    await rm(dir, { recursive: true })
  }
}

async function measureAll(
  servers: readonly ScaledServer[],
  rounds: number,
  once: (server: ScaledServer) => Promise<Measure>,
): Promise<Measure[]> {
  const measured: Measure[][] = servers.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [n, server] of servers.entries()) measured[n]?.push(await once(server))
  }
  return measured.map((measures) => {
    const of = (key: keyof Measure): number => median(measures.map((each) => each[key]))
    return {
      requestsPerSecond: of('requestsPerSecond'),
      cpuMicros: of('cpuMicros'),
      balance: of('balance'),
    }
  })
}

async function measure(server: ScaledServer, script: string, seconds: number): Promise<Measure> {
  const before = await Promise.all(server.pids.map(cpuMicrosOf))
  const { micros, requests } = await runWrk(
    wrkCommand(server.port, script, seconds, server.pids.length),
  )
  const after = await Promise.all(server.pids.map(cpuMicrosOf))
  const spent = after.map((value, n) => value - (before[n] ?? 0))
  return {
    requestsPerSecond: requests / (micros / 1e6),
    cpuMicros: spent.reduce((sum, value) => sum + value, 0) / requests,
    balance: Math.min(...spent) / Math.max(...spent),
  }
}

function report(servers: readonly ScaledServer[], measures: readonly Measure[]): void {
  for (const name of new Set(servers.map((server) => server.name))) {
    const own = measures.filter((_, n) => servers[n]?.name === name)
    for (const [n, { balance, cpuMicros, requestsPerSecond }] of own.entries()) {
      const rate = requestsPerSecond.toFixed(0).padStart(8)
      const cost = cpuMicros.toFixed(1).padStart(8)
      const shared =
        n === 0 ? '' : `, the one with less to do ${(balance * 100).toFixed(0)} % of the other`
      print(
        `  ${name.padEnd(10)}${n + 1} process${n === 0 ? '  ' : 'es'}${rate} /s${cost} µs CPU each${shared}`,
      )
    }
    const [one, two] = own
    if (one === undefined || two === undefined) continue
    const ratio = two.requestsPerSecond / one.requestsPerSecond
    const verdict = ratio >= wanted ? `≥ ${wanted}` : `below ${wanted}`
    const cost = two.cpuMicros / one.cpuMicros
    print(
      `  ${name}: ${ratio.toFixed(2)} × the requests, ${verdict}; ${cost.toFixed(2)} × the CPU each`,
    )
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
