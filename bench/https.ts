// `bun bench/https.ts [rounds]`, or `bun bench/https.ts flood` for the flood alone: what a page of 12 kB costs over https, beside nginx with the same files, nginx and Caddy in front
// of us, and Bun with nothing but the answer. CPU of all processes of the server side for a request; medians of alternating rounds. Then
// memory of idle connections, and what a flood of handshakes does to the connections that are open. Servers are pinned to
// one core, and the load to the other. Needs what Debian calls nghttp2-client, util-linux and openssl; compares with nginx and caddy
// where they are installed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onLoadCore } from './edge/servers.ts'
import { fillSites } from './edge/sites.ts'
import { OpenConnections } from './https/latency.ts'
import { load, type Way } from './https/load.ts'
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
const rounds = onlyFlood ? 0 : Number(process.argv[2] ?? 5)
const warmUpRounds = 2
const sites = 20
const idleConnections = 5_000
const idleBytesMax = 150 * 1024 * 1024
const latencyRequests = 1_000

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
  const bare = opened.use(await startBare(sitehost, host, folders))
  await measureFlood(sitehost, bare, host)
  if (onlyFlood) return
  const servers: HttpsServer[] = [sitehost, bare]
  const others = [
    await startNginx(folders),
    await startNginxFront(folders, sitehost),
    await startCaddyFront(folders, sitehost),
  ]
  for (const other of others) if (other !== null) servers.push(opened.use(other))
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

/**
 * That of the same answers without the flood, and with it, over connections that were there before. The client shares its core with
 * the flood: what its own waiting grows by is measured at a server that nobody floods and that has priority, and left out.
 */
async function measureFlood(
  flooded: HttpsServer,
  control: HttpsServer,
  host: string,
): Promise<void> {
  await prefer(control)
  using connections = await OpenConnections.open(flooded.port, host)
  using ofControl = await OpenConnections.open(control.port, host)
  const p99s = async () =>
    await Promise.all([connections.p99(latencyRequests), ofControl.p99(latencyRequests)])
  await p99s()
  const [before, clientBefore] = await p99s()
  const flood = await startClient('flood.ts', flooded.port, host)
  const [during, clientDuring] = await p99s()
  await flood[Symbol.asyncDispose]()
  const own = during - Math.max(0, clientDuring - clientBefore)
  const verdict = own <= 2 * before ? '≤ 2' : 'MISSED ≤ 2'
  print('\np99 of open connections, without and with a flood of handshakes')
  print(`  ${before.toFixed(2)} ms, ${during.toFixed(2)} ms`)
  print(`  of the client alone: ${clientBefore.toFixed(2)} ms, ${clientDuring.toFixed(2)} ms`)
  print(`  ${(own / before).toFixed(2)} × without the client's part, ${verdict}`)
}

/** Its answers wait for no other process of its core. */
async function prefer({ pids }: HttpsServer): Promise<void> {
  const command = ['renice', '-n', '-15', '-p', ...pids.map(String)]
  const code = await Bun.spawn(command, { stdout: 'ignore' }).exited
  if (code !== 0) throw new Error('renice has failed: the flood is measured as root')
}

async function measureIdle(servers: readonly HttpsServer[], host: string): Promise<void> {
  print(`\n${idleConnections} idle connections`)
  for (const { name, pids, port } of servers) {
    const before = await residentBytes(pids)
    const client = await startClient('idle.ts', port, host, String(idleConnections))
    const took = (await residentBytes(pids)) - before
    await client[Symbol.asyncDispose]()
    const verdict = took <= idleBytesMax ? '' : '  MISSED ≤ 150 MB'
    print(`  ${name.padEnd(20)}${(took / 1024 / 1024).toFixed(0).padStart(10)} MB${verdict}`)
  }
}

/** Resolves when the client has printed its line. */
async function startClient(
  script: string,
  port: number,
  ...args: string[]
): Promise<AsyncDisposable> {
  const file = join(import.meta.dir, 'https', script)
  const command = onLoadCore('nice', process.execPath, file, String(port), ...args)
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const { done } = await child.stdout.getReader().read()
  if (done) throw new Error(`${script} has ended`)
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
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
