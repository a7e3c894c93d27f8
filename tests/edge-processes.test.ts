import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { type OwnDatabase, onEachDatabase } from '#tests/support/database/databases.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { steadyLoad } from '#tests/support/visitors/steady-load.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { cookieHeader } from './support/api.ts'
import { eventually } from './support/eventually.ts'

// One instance of three processes, with a supervisor: a core with the application and ingest, and two that answer visitors.

const password = 'correct horse battery'

interface ListedProcess {
  readonly kind: string
  readonly pid: number
  readonly restarts: number
}

await onEachDatabase('edge processes', (make) => {
  let dir: string
  let network: Network
  let own: OwnDatabase
  let settings: Record<string, string>
  let service: ServiceProcess
  let alice: AppClient
  let cookie: string
  let siteHost: string
  const data = () => ['--data', join(dir, 'sitehost')]
  const start = () => startServiceProcess(['serve', ...data()], settings)

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-edges-'))
    network = await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: false })
    own = await make()
    settings = {
      ...devSettings(network),
      ...{ LOG_LEVEL: 'warning', EDGE_PROCESSES: '2', PORT: String(await ownPort()) },
      METRICS_LISTEN: `127.0.0.1:${await ownPort()}`,
      TMPDIR: dir,
      ...(own.options.url !== undefined && { DATABASE_URL: own.options.url }),
    }
    service = await start()
    alice = new AppClient(service.ready.app)
    await alice.signIn('alice.test', network.accounts[0]?.password ?? '')
    await runCommand(['admin', 'add', 'ruth', ...data()], settings, `${password}\n`)
    const body = JSON.stringify({ username: 'ruth', password })
    const login = await fetch(`${service.ready.app}/api/admin/login`, { method: 'POST', body })
    cookie = cookieHeader(login.headers.getSetCookie())
    await publish('first')
    const { sites } = (await (await alice.fetch('/api/user/sites')).json()) as {
      sites: { url: string }[]
    }
    siteHost = new URL(sites[0]?.url ?? '').host
  }, 300_000)
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]()
    await network?.stop()
    await own?.[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  }, 120_000)

  const publish = (content: string) => alice.publish('blog', [textFile('index.html', content)])

  async function admin<Body>(path: string): Promise<Body> {
    const response = await fetch(`${service.ready.app}/api/admin/${path}`, { headers: { cookie } })
    expect(response.status).toBe(200)
    return (await response.json()) as Body
  }

  const processes = async (): Promise<readonly ListedProcess[]> =>
    (await admin<{ processes: ListedProcess[] }>('overview')).processes

  const pidsOf = async (kind: string): Promise<number[]> =>
    (await processes()).filter((known) => known.kind === kind).map(({ pid }) => pid)

  /** On a connection of its own, which any of the processes may get. */
  const visit = async (path: string): Promise<string> => {
    const at = `http://127.0.0.1:${settings['PORT']}${path}`
    const headers = { host: siteHost, connection: 'close' }
    return await (await fetch(at, { headers, keepalive: false })).text()
  }

  /** So many connections that each process gets one of them. */
  const visits = (path = '/'): Promise<string[]> =>
    Promise.all(Array.from({ length: 24 }, () => visit(path)))

  const everywhere = (content: string) =>
    eventually(async () => expect(new Set(await visits())).toEqual(new Set([content])))

  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }

  test('all processes serve what was published', async () => {
    await everywhere('first')
    await publish('second')
    await everywhere('second')
  }, 60_000)

  test('the administrator’s area lists them, and one address has the numbers of all', async () => {
    const listed = await processes()
    expect(listed.map(({ kind, restarts }) => ({ kind, restarts }))).toEqual([
      { kind: 'core', restarts: 0 },
      ...Array.from({ length: 2 }, () => ({ kind: 'edge', restarts: 0 })),
    ])
    // Nobody has visited a page that does not exist yet.
    await visits('/missing')
    await eventually(async () => {
      const text = await (await fetch(`http://${settings['METRICS_LISTEN']}/metrics`)).text()
      expect(text).toContain(
        'sitehost_http_request_duration_seconds_count{role="edge",status="4xx"} 24\n',
      )
    })
    const { bodies, snapshots } =
      await admin<Record<string, { bytesMax: number; hits: number }>>('cache')
    expect(bodies?.bytesMax).toBe(256 * 1024 * 1024)
    expect(snapshots?.hits).toBeGreaterThan(0)
  }, 60_000)

  test('an edge process that is killed is started again, and the others serve', async () => {
    const [killed = 0, other = 0] = await pidsOf('edge')
    process.kill(killed, 'SIGKILL')
    await eventually(async () => expect(isRunning(killed)).toBeFalse())
    expect(new Set(await visits())).toEqual(new Set(['second']))
    await eventually(async () => {
      const now = await pidsOf('edge')
      expect(now).toHaveLength(2)
      expect(now).toContain(other)
      expect(now).not.toContain(killed)
    })
    expect((await processes()).map(({ restarts }) => restarts).toSorted()).toEqual([0, 0, 1])
    await publish('third')
    await everywhere('third')
  }, 60_000)

  test('while there is no core, visitors are served, and requests of the application wait', async () => {
    const [core = 0] = await pidsOf('core')
    process.kill(core, 'SIGKILL')
    expect(new Set(await visits())).toEqual(new Set(['third']))
    const [next = 0] = await pidsOf('core')
    expect(next).not.toBe(core)
    await publish('fourth')
    await everywhere('fourth')
  }, 60_000)

  test('no other service starts on its folder, its database or its port', async () => {
    const again = await runCommand(['serve', ...data()], { ...settings, PORT: '0' })
    expect(again).toMatchObject({ code: 1 })
    expect(again.complaints).toContain('another Sitehost')
    const elsewhere = ['serve', '--data', join(dir, 'another')]
    const onPort = await runCommand(elsewhere, { ...settings, DATABASE_URL: '' })
    expect(onPort.complaints).toContain(`port ${settings['PORT']} is in use`)
    if (own.dialect === 'sqlite') return
    const onDatabase = await runCommand(elsewhere, { ...settings, PORT: '0' })
    expect(onDatabase.complaints).toContain('another Sitehost uses this database')
  }, 120_000)

  test('SIGHUP replaces all without losing a request', async () => {
    const before = (await processes()).map(({ pid }) => pid)
    const request = `GET / HTTP/1.1\r\nhost: ${siteHost}`
    const clients = { fresh: 6, kept: 6 }
    const port = Number(settings['PORT'])
    const visitors = steadyLoad({ port, request, end: 'fourth', clients, pauseMs: 20 })
    const callers = steadyLoad({
      port,
      request: `GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}`,
      end: '\r\n\r\nok',
      clients: { fresh: 1, kept: 1 },
      pauseMs: 20,
    })
    process.kill(service.pid, 'SIGHUP')
    await eventually(async () => {
      const now = (await processes()).map(({ pid }) => pid)
      expect(now).toHaveLength(3)
      expect(now.filter((pid) => before.includes(pid))).toEqual([])
      expect(before.filter(isRunning)).toEqual([])
    })
    await Promise.all([visitors.stop(), callers.stop()])
    expect(visitors.lost).toEqual([])
    expect(callers.lost).toEqual([])
    expect(visitors.answered).toBeGreaterThan(100)
    await publish('fifth')
    await everywhere('fifth')
  }, 120_000)

  test('SIGTERM ends all of them, and what comes after it starts', async () => {
    const all = (await processes()).map(({ pid }) => pid)
    expect(await service.end('SIGTERM')).toBe(0)
    expect(all.filter(isRunning)).toEqual([])
    expect((await readdir(dir)).filter((name) => name.startsWith('sitehost-'))).toEqual([])
    service = await start()
    await everywhere('fifth')
  }, 120_000)

  test('when the supervisor is killed, its processes end', async () => {
    const all = (await processes()).map(({ pid }) => pid)
    await service.end('SIGKILL')
    await eventually(async () => expect(all.filter(isRunning)).toEqual([]))
  }, 60_000)
})
