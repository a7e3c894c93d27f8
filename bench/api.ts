// `bun bench/api.ts [rounds] [seconds]`: what an answer of the application costs, beside bare Bun that answers a text of
// the same size: reads of people who are signed in, and whose a name is. 1000 accounts with three sites, a name and a domain
// each. The server is pinned to one core and wrk to the other; medians of alternating rounds.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyRing } from '#api/session/key-ring.ts'
import { BrowserSessions } from '#api/session/sessions.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { type Did, siteLabel } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { accountOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { type BenchRequest, load, type Measure, wrkScript } from './edge/load.ts'
import type { BenchServer } from './edge/servers.ts'

const rounds = Number(process.argv[2] ?? 5)
const seconds = Number(process.argv[3] ?? 3)
const accounts = 1000
const siteNames = ['blog', 'shop', 'docs']
const secret = 'a secret of the bench that is long enough'
const warmUpSeconds = 3
const signedInPaths = [
  '/api/user/status',
  '/api/user/info',
  '/api/user/sites',
  '/api/user/domains',
  '/api/user/site/blog/domains',
]

interface Runner {
  readonly who: string
  readonly server: BenchServer
  readonly script: string
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-api-bench-'))
  try {
    await using opened = new AsyncDisposableStack()
    const cookies = await fill(dir)
    const service = opened.use(await startPinned(['serve', '--port', '0', '--data', dir]))
    const bare = opened.use(await startBare())
    await printAll(await runnersOf(service, bare, cookies, dir))
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** The cookie of each account, as a program has it that is no browser. */
async function fill(dataDir: string): Promise<string[]> {
  await using database = openDatabase({ file: join(dataDir, 'sitehost.db') })
  await migrate(database)
  const { db } = database
  const keys = new KeyRing([secret])
  const sessions = new BrowserSessions({ db, keys, secure: false, now: Date.now })
  const numbers = Array.from({ length: accounts }, (_, n) => n)
  return await mapAtOnce(
    numbers,
    { atOnce: 16, signal: new AbortController().signal },
    async (n) => {
      await fillAccount(db, accountOf(n), n)
      const { cookies } = await sessions.start(accountOf(n))
      const [did = ''] = cookies
      return did.slice(0, did.indexOf(';'))
    },
  )
}

async function fillAccount(db: Db, did: Did, n: number): Promise<void> {
  await upsertAccount(db, { did, handle: `person-${n}.test` }, n)
  for (const name of siteNames) {
    const site = siteOf(name, did)
    await recordVersion(db, newVersion({ site, label: siteLabel(site) }), n)
  }
  const name = { did, domain: domainOf(n) }
  await claimSubdomain(db, name, { subdomainsMax: 3, now: n })
  await mapSubdomain(db, name, siteOf('blog', did).name, n)
}

const domainOf = (n: number): string => `person-${n}.localhost`

async function startPinned(command: readonly string[]): Promise<BenchServer> {
  const service = await startServiceProcess(command, {
    FIREHOSE_URL: 'http://127.0.0.1:9',
    LOG_LEVEL: 'error',
    SECRET_KEY: secret,
  })
  await Bun.spawn(['taskset', '-a', '-cp', '0', String(service.pid)], { stdout: 'ignore' }).exited
  return {
    name: 'sitehost',
    port: Number(service.ready['port']),
    pid: service.pid,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** The least that an answer can cost here: a text of the same size. */
async function startBare(): Promise<BenchServer> {
  const command = ['taskset', '-c', '0', process.execPath, import.meta.path, 'bare']
  const child = Bun.spawn(command, { stdout: 'pipe', stdin: 'ignore' })
  const { value } = await child.stdout.getReader().read()
  return {
    name: 'sitehost',
    port: Number(new TextDecoder().decode(value)),
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

function serveBare(): void {
  const body = JSON.stringify({ registered: true, type: 'sitehost', ...bareRegistration })
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  const { port } = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1', development: false },
    fetch: () => new Response(body, { headers }),
  })
  process.stdout.write(`${port}\n`)
}

const bareRegistration = { domain: domainOf(0), did: accountOf(0), rkey: 'blog' }

async function runnersOf(
  service: BenchServer,
  bare: BenchServer,
  cookies: readonly string[],
  dir: string,
): Promise<Runner[]> {
  const host = `127.0.0.1:${service.port}`
  const get = (path: string, headers = {}): BenchRequest => ({ host, path, headers })
  const registered = (name: string) => get(`/api/domain/registered?domain=${name}`)
  const mixed = cookies.flatMap((cookie) => signedInPaths.map((path) => get(path, { cookie })))
  const lists: [string, BenchServer, BenchRequest[], number][] = [
    ['bare Bun', bare, [get('/')], 200],
    ['registered, 1000 names', service, cookies.map((_, n) => registered(domainOf(n))), 200],
    ['registered, nobody has it', service, [registered('nobody.localhost')], 404],
    ['signed-in reads, mixed', service, mixed, 200],
    ...signedInPaths.map((path): [string, BenchServer, BenchRequest[], number] => [
      `  ${path}`,
      service,
      mixed.filter((request) => request.path === path),
      200,
    ]),
  ]
  return await Promise.all(
    lists.map(async ([who, server, requests, status], n) => {
      const script = join(dir, `${n}.lua`)
      await Bun.write(script, wrkScript(requests, status))
      return { who, server, script }
    }),
  )
}

async function printAll(runners: readonly Runner[]): Promise<void> {
  const measured = new Map(runners.map(({ who }) => [who, [] as Measure[]]))
  for (const { server, script } of runners) await load(server, script, warmUpSeconds)
  for (let round = 0; round < rounds; round++) {
    for (const { who, server, script } of runners) {
      measured.get(who)?.push(await load(server, script, seconds))
    }
  }
  const bare = median((measured.get('bare Bun') ?? []).map(({ cpuMicros }) => cpuMicros))
  for (const [who, measures] of measured) {
    const rate = median(measures.map(({ requestsPerSecond }) => requestsPerSecond))
    const micros = median(measures.map(({ cpuMicros }) => cpuMicros))
    const ratio = `${(micros / bare).toFixed(1)} × bare`
    process.stdout.write(
      `${who.padEnd(32)}${rate.toFixed(0).padStart(8)} /s${micros.toFixed(1).padStart(9)} µs  ${ratio}\n`,
    )
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

if (process.argv[2] === 'bare') serveBare()
else await main()
