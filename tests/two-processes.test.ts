import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OwnDatabase, onEachDatabase } from '#tests/support/database/databases.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { settingsOf } from '#tests/support/processes/two-processes.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { changeHandle } from './support/account-admin.ts'
import { createSession } from './support/accounts.ts'
import { cookieHeader } from './support/api.ts'
import { eventually } from './support/eventually.ts'

// The application in one process, ingest and edge in another, on one data folder and one database.

const password = 'correct horse battery'

await onEachDatabase('two processes of one service', (make) => {
  let dir: string
  let network: Network
  let own: OwnDatabase
  let settings: { readonly [part in 'app' | 'hosting']: Record<string, string> }
  let app: ServiceProcess
  let hosting: ServiceProcess
  let alice: AppClient
  let cookie: string
  const data = () => ['--data', join(dir, 'sitehost')]

  let directory: CountingProxy
  const passwordOfAlice = (): string =>
    network.accounts.find(({ handle }) => handle === 'alice.test')?.password ?? ''

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-two-'))
    network = await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: false })
    own = await make()
    directory = countingProxy(network.plc)
    settings = await settingsOf(network, own)
    settings.app['PLC_URL'] = directory.origin
    hosting = await start('hosting')
    app = await start('app')
    alice = new AppClient(app.ready.app)
    await alice.signIn('alice.test', passwordOfAlice())
    await runCommand(['admin', 'add', 'ruth', ...data()], settings.app, `${password}\n`)
    const body = JSON.stringify({ username: 'ruth', password })
    const login = await fetch(`${app.ready.app}/api/admin/login`, { method: 'POST', body })
    cookie = cookieHeader(login.headers.getSetCookie())
  }, 300_000)
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]()
    await hosting?.[Symbol.asyncDispose]()
    await directory?.[Symbol.asyncDispose]()
    await network?.stop()
    await own?.[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  }, 120_000)

  const start = (part: 'app' | 'hosting') =>
    startServiceProcess(['serve', ...data()], settings[part])

  async function admin(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${app.ready.app}/api/admin/${path}`, { headers: { cookie } })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  /** At the address of a site, of the process that answers visitors. */
  async function visit(url: string): Promise<string> {
    const { host, pathname } = new URL(url)
    const at = `http://127.0.0.1:${settings.hosting['PORT']}${pathname}`
    return await (await fetch(at, { headers: { host } })).text()
  }

  test('what one publishes is what visitors of the other get', async () => {
    await alice.publish('blog', [textFile('index.html', '<h1>blog</h1>')])
    await eventually(async () => expect(await visit(await urlOf('blog'))).toBe('<h1>blog</h1>'))
  }, 120_000)

  async function urlOf(name: string): Promise<string> {
    const { sites } = (await (await alice.fetch('/api/user/sites')).json()) as {
      sites: { rkey: string; url: string }[]
    }
    const site = sites.find(({ rkey }) => rkey === name)
    if (site === undefined) throw new Error(`${name} is not listed`)
    return site.url
  }

  test('each refuses what is the other’s', async () => {
    const misdirected = async (part: 'app' | 'hosting', host: string) => {
      const at = `http://127.0.0.1:${settings[part]['PORT']}/`
      return (await fetch(at, { headers: { host } })).status
    }
    expect(await misdirected('app', 'some.localhost')).toBe(421)
    expect(await misdirected('hosting', new URL(app.ready.app).host)).toBe(421)
  })

  test('the internal listener answers only with the token', async () => {
    for (const authorization of ['', 'Bearer another']) {
      for (const path of ['metrics', 'cache', 'sync', 'nothing']) {
        const at = `${settings.app['HOSTING_URL']}/internal/${path}`
        expect((await fetch(at, { headers: { authorization } })).status).toBe(401)
      }
    }
  })

  test('another process of the same part does not start', async () => {
    for (const part of ['app', 'hosting'] as const) {
      const second = await runCommand(['serve', ...data()], settings[part])
      expect(second.complaints).toContain('another Sitehost')
    }
    const both = { ...settings.app, ROLES: '', HOSTING_URL: '', INTERNAL_TOKEN: '' }
    const whole = await runCommand(['serve', ...data()], both)
    expect(whole.complaints).toContain('another Sitehost')
  }, 120_000)

  test('a requested sync is done by the other', async () => {
    const answer = await alice.fetch('/api/user/sync', { method: 'POST' })
    expect(await answer.json()).toEqual({ success: true, synced: 1, errors: [] })
  }, 60_000)

  test('an administrator reads both', async () => {
    const { body } = await admin('metrics')
    expect(Object.keys(body)).toEqual(['overall', 'mainApp', 'hostingService', 'timeWindow'])
    expect(body['hostingService']).toMatchObject({ totalRequests: expect.any(Number) })
    expect(JSON.stringify(body['hostingService'])).not.toContain('"totalRequests":0')
    const cache = await admin('cache')
    expect(cache).toMatchObject({ status: 200, body: { snapshots: { entries: 1 } } })
    for (const path of ['database', 'sites', 'health', 'logs', 'errors']) {
      expect([path, (await admin(path)).status]).toEqual([path, 200])
    }
    const logs = async (service: string) => (await admin(`logs?service=${service}`)).body['logs']
    await eventually(async () => {
      expect(await logs('main-app')).not.toEqual([])
      expect(await logs('hosting-service')).not.toEqual([])
    })
  }, 60_000)

  test('what one learns of an account’s identity, the other forgets', async () => {
    const account = await createSession(network.pds, 'alice.test', passwordOfAlice())
    const publish = () => alice.publish('moves', [textFile('index.html', `${crypto.randomUUID()}`)])
    await publish()
    const asked = () => directory.asked.filter((path) => path.includes(account.did)).length
    const before = asked()
    await publish()
    expect(asked()).toBe(before)
    await changeHandle(account, 'alicia.test')
    await eventually(async () => {
      await publish()
      expect(asked()).toBeGreaterThan(before)
    })
  }, 120_000)

  const status = async (part: 'app' | 'hosting') => {
    const { said } = await runCommand(['status', '--json', ...data()], settings[part])
    return JSON.parse(said.join()) as object
  }
  const doctor = async (part: 'app' | 'hosting') => {
    const { said } = await runCommand(['doctor', '--json', ...data()], settings[part])
    const { findings } = JSON.parse(said.join()) as { findings: { about: string; seen: string }[] }
    return findings
      .filter(({ about }) => ['port', 'certificates', 'open files'].includes(about))
      .map(({ seen }) => seen.replace(/\b\d{4,}/, 'n'))
  }

  test('status and doctor ask both, with the settings of either', async () => {
    const started = { service: 'running', startedAt: expect.any(Number) }
    for (const part of ['app', 'hosting'] as const) {
      expect(await status(part)).toMatchObject({ ...started, hosting: started })
      expect(await doctor(part)).toEqual([
        'the application answers at port n',
        'the hosting process answers at port n',
        'http://127.0.0.1:n/ permits the application’s name and no others',
        'the application may have n files open',
        'the hosting process may have n files open',
      ])
    }
  }, 60_000)

  describe('with the hosting part stopped', () => {
    beforeAll(async () => {
      expect(await hosting.end('SIGTERM')).toBe(0)
    }, 60_000)

    test('status and doctor say so', async () => {
      const stopped = { service: 'stopped', startedAt: null }
      expect(await status('app')).toMatchObject({ service: 'running', hosting: stopped })
      expect(await doctor('app')).toEqual([
        'the application answers at port n',
        'the hosting process does not run',
        'the hosting process does not run, and nobody else answers the front',
        'the application may have n files open',
      ])
      expect((await doctor('hosting'))[1]).toBe(
        'port n of these settings is free, and the hosting process does not run on this data folder',
      )
    }, 60_000)

    test('the rows of the application answer, and the cache is not there', async () => {
      expect(await admin('cache')).toEqual({
        status: 503,
        body: {
          error: 'Failed to fetch cache stats from hosting service',
          message: 'Hosting service unavailable',
        },
      })
      expect(await admin('metrics')).toMatchObject({ status: 200, body: { hostingService: {} } })
      expect((await admin('overview')).body['hostingReachable']).toBe(false)
      for (const path of ['database', 'sites', 'health', 'logs', 'errors', 'overview']) {
        expect([path, (await admin(path)).status]).toEqual([path, 200])
      }
    }, 60_000)

    test('a sync is refused for now', async () => {
      const answer = await alice.fetch('/api/user/sync', { method: 'POST' })
      expect(answer.status).toBe(503)
    })

    test('what is published meanwhile is there once it has started again', async () => {
      const uploaded = await alice.upload('meanwhile', [textFile('index.html', 'meanwhile')])
      expect(uploaded.status).toBe(200)
      hosting = await start('hosting')
      await eventually(async () => expect(await visit(await urlOf('meanwhile'))).toBe('meanwhile'))
      expect((await admin('cache')).status).toBe(200)
    }, 120_000)
  })
})

interface CountingProxy extends AsyncDisposable {
  readonly origin: string
  /** The paths of all requests. */
  readonly asked: string[]
}

/** The PLC directory, as the application asks it. */
function countingProxy(directory: string): CountingProxy {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(decodeURIComponent(pathname))
      return fetch(new URL(pathname, directory))
    },
  })
  return {
    origin: server.url.origin,
    asked,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
