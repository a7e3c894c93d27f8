// `bun bench/https.ts [rounds]`, or `bun bench/https.ts flood [rounds]` for the flood alone, as root: what a page of 12 kB costs over https, beside nginx with
// the same files, nginx and Caddy in front of us, and Bun with nothing but the answer. CPU of all processes of the server side for a request; medians of alternating rounds. Then
// memory of idle connections, and what a flood of handshakes does to the connections that are open. Servers are pinned to
// one core, and the load to the other. Needs what Debian calls nghttp2-client, util-linux and openssl; compares with nginx and caddy
// where they are installed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillSites } from './edge/sites.ts'
import { startClient } from './https/clients.ts'
import { load, type Way } from './https/load.ts'
import { type FloodFigures, type FloodRounds, measureFlood } from './https/measure-flood.ts'
import {
  baseDomain,
  type HttpsFolders,
  type HttpsServer,
  makeCertificate,
  startBare,
  startCaddyFront,
  startNginx,
  startNginxFront,
  startSitehost,
} from './https/servers.ts'

const onlyFlood = process.argv[2] === 'flood'
const rounds = Number((onlyFlood ? undefined : process.argv[2]) ?? 5)
const floodRounds = Number((onlyFlood ? process.argv[3] : undefined) ?? 7)
const warmUpRounds = 2
const sites = 20
const idleConnections = 5_000
const idleBytesMax = 150 * 1024 * 1024

const targets: readonly [to: HttpsServer['name'], atMost: number][] = [
  ['nginx in front', 0.3],
  ['nginx', 1],
]

async function main(): Promise<void> {
  for (const tool of ['h2load', 'taskset', 'openssl']) {
    if (Bun.which(tool) === null) throw new Error(`${tool} is missing`)
  }
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-https-bench-'))
  try {
    const in_ = (name: string): string => join(dir, name)
    const folders = { dataDir: in_('data'), wwwDir: in_('www'), workDir: dir }
    const certificate = { chainFile: in_('chain.pem'), keyFile: in_('key.pem') }
    await makeCertificate(certificate.chainFile, certificate.keyFile)
    await compare({ ...folders, ...certificate })
  } finally {
    await rm(dir, { recursive: true })
  }
}

async function compare(folders: HttpsFolders): Promise<void> {
  const { hosts } = await fillSites({ ...folders, baseDomain }, sites)
  const host = hosts[0] ?? ''
  await using opened = new AsyncDisposableStack()
  const sitehost = opened.use(await startSitehost(folders))
  const nginx = opened.use(await startNginx(folders))
  const alone: HttpsServer[] = nginx === null ? [sitehost] : [sitehost, nginx]
  for (const server of alone) printFlood(server.name, await measureFlood(server, host, floodRounds))
  if (onlyFlood) return
  const bare = opened.use(await startBare(sitehost, host, folders))
  const servers = [...alone, bare]
  const fronts = [
    await startNginxFront(folders, sitehost),
    await startCaddyFront(folders, sitehost),
  ]
  for (const front of fronts) if (front !== null) servers.push(opened.use(front))
  print(`CPU of a 12 kB page, ${rounds} rounds`)
  for (const way of ['h2', 'h1', 'new connections'] as const) {
    printCosts(way, await measure(servers, host, way))
  }
  await measureIdle(servers, host)
}

type Costs = ReadonlyMap<HttpsServer['name'], number>

async function measure(servers: readonly HttpsServer[], host: string, way: Way): Promise<Costs> {
  const measured = new Map(servers.map(({ name }) => [name, [] as number[]]))
  for (const server of servers) {
    for (let round = 0; round < warmUpRounds; round++) await load(server, host, way)
  }
  for (let round = 0; round < rounds; round++) {
    const first = round % servers.length
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      measured.get(server.name)?.push(await load(server, host, way))
    }
  }
  return new Map(Array.from(measured, ([name, costs]) => [name, median(costs)]))
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

function printCosts(way: Way, costs: Costs): void {
  print(`\n${way}`)
  for (const [name, micros] of costs)
    print(`  ${name.padEnd(20)}${micros.toFixed(1).padStart(10)} µs`)
  const ours = costs.get('sitehost') ?? Number.NaN
  for (const [to, atMost] of targets) {
    const ratio = ours / (costs.get(to) ?? Number.NaN)
    const verdict = ratio <= atMost ? `≤ ${atMost}` : `MISSED ≤ ${atMost}`
    print(`  ${ratio.toFixed(2)} × ${to}, ${verdict}`)
  }
}

/** The ratio is between two floods that differ only in whom they hit: a core of the load that is awake answers sooner than one that sleeps. */
function printFlood(name: string, { nobody, client, server }: FloodRounds): void {
  const ms = ({ p99Ms: { max, median, min } }: FloodFigures): string =>
    `${median.toFixed(2)} ms (${min.toFixed(2)} to ${max.toFixed(2)})`
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`
  const ratio = server.p99Ms.median / client.p99Ms.median
  const verdict = ratio <= 2 ? '≤ 2' : 'MISSED ≤ 2'
  const { clientShare, handshakesPerSecond, serverShare } = server
  print(`\n${name}: p99 of open connections, medians of the rounds`)
  print(`  no flood             ${ms(nobody)}`)
  print(`  flood at the client  ${ms(client)}`)
  print(
    `  flood at the server  ${ms(server)}, ${handshakesPerSecond.median.toFixed(0)} handshakes/s`,
  )
  print(
    `  of one core: the flood's client ${percent(clientShare.median)}, the server ${percent(serverShare.median)}`,
  )
  print(`  ${ratio.toFixed(2)} × between the two floods, ${verdict}`)
}

async function measureIdle(servers: readonly HttpsServer[], host: string): Promise<void> {
  print(`\n${idleConnections} idle connections`)
  for (const { name, pids, port } of servers) {
    const before = await residentBytes(pids)
    await using _ = await startClient(['nice'], 'idle.ts', port, host, String(idleConnections))
    const took = (await residentBytes(pids)) - before
    const verdict = took <= idleBytesMax ? '' : '  MISSED ≤ 150 MB'
    print(`  ${name.padEnd(20)}${(took / 1024 / 1024).toFixed(0).padStart(10)} MB${verdict}`)
  }
}

async function residentBytes(pids: readonly number[]): Promise<number> {
  let sum = 0
  for (const pid of pids) {
    const status = await Bun.file(`/proc/${pid}/status`).text()
    sum += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
  }
  return sum
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main()
