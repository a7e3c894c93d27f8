import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { caddyProgram } from '#tests/support/servers/caddy.ts'
import { nginxProgram } from '#tests/support/servers/nginx.ts'
import { type S3Server, startS3Server } from '#tests/support/servers/s3-server.ts'
import { certificate, certificateKey } from '#tests/support/servers/self-signed.ts'
import { codeBlocks } from './support/code-blocks.ts'
import { eventually } from './support/eventually.ts'
import { available } from './support/require.ts'

// "Two machines" of docs/operating.md as it is written, its addresses being those of this machine.

const server = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const appHost = 'app.sitehost-tests.net'
const role = `two_machines_${crypto.randomUUID().slice(0, 8)}`

const isHere = await available('two machines', async () => {
  if (nginxProgram === null) throw new Error('nginx is missing')
  if (caddyProgram === null) throw new Error('caddy is missing')
  await query('select 1')
})

if (isHere) {
  let dir: string
  let s3: S3Server
  let blocks: string[]
  let settings: Record<string, string>[]
  const running: ServiceProcess[] = []
  const fronts: Bun.Subprocess[] = []
  const ports = { app: ['', ''], ask: ['', ''], internal: ['', ''] }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-two-machines-'))
    s3 = await startS3Server()
    for (const of of Object.values(ports)) for (const n of [0, 1]) of[n] = await ownPort()
    const text = await Bun.file(join(import.meta.dir, '../docs/operating.md')).text()
    const section = /^### Two machines\n([\s\S]+?)^## /m.exec(text)?.[1] ?? ''
    // Nobody signs in to `.example`.
    const named = section.replaceAll('sitehost.example', appHost)
    blocks = codeBlocks(named.replaceAll('sites.example', 'sites.sitehost-tests.org'))
    for (const [statement] of blockWith('create role sitehost login').matchAll(
      /create (role|database) [^"\n]+?(?=\\"|'")/g,
    )) {
      await query(statement.replaceAll('sitehost', role).replace('<password>', 'secret'))
    }
    settings = [0, 1].map((n) => settingsOf(n))
    for (const n of [0, 1]) running.push(await start(n))
  }, 120_000)
  afterAll(async () => {
    for (const front of fronts) front.kill('SIGTERM')
    for (const process of running) await process[Symbol.asyncDispose]()
    await s3?.stop()
    await query(`drop database if exists ${role} with (force)`)
    await query(`drop role if exists ${role}`)
    await rm(dir, { recursive: true, force: true })
  }, 60_000)

  const blockWith = (text: string): string => {
    const [block, ...more] = blocks.filter((each) => each.includes(text))
    if (block === undefined || more.length > 0) throw new Error(`not one block with ${text}`)
    return block
  }

  /** Both machines are this one, and who connects does so from 127.0.0.1. */
  const here = (text: string): string =>
    text
      .replace(/10\.0\.0\.([12]):300([012])/g, (_, machine, kind) => {
        const of = [ports.app, ports.ask, ports.internal][Number(kind)]
        return `127.0.0.1:${of?.[Number(machine) - 1]}`
      })
      .replace('10.0.0.4', '127.0.0.1')

  function settingsOf(n: number): Record<string, string> {
    const block = here(blockWith('INTERNAL_LISTEN=').replaceAll('10.0.0.1', `10.0.0.${n + 1}`))
    const read = Object.fromEntries(
      block.split('\n').map((line) => {
        const at = line.indexOf('=')
        return [line.slice(0, at), line.slice(at + 1)]
      }),
    )
    const database = new URL(server)
    database.username = role
    database.password = 'secret'
    database.pathname = role
    expect(read['DATABASE_URL']).toMatch(/^postgres:\/\/sitehost:<password>@10\.0\.0\.3\/sitehost$/)
    return {
      ...read,
      DATABASE_URL: database.href,
      BLOBS_URL: String(read['BLOBS_URL'])
        .replace('sitehost-blobs', 'blobs')
        .replace('https://s3.example.com', s3.endpoint),
      SECRET_KEY: 'a'.repeat(64),
      INTERNAL_TOKEN: 'b'.repeat(64),
      HOST: '127.0.0.1',
      PORT: ports.app[n] ?? '',
      // What this test has not got: the network.
      ...{ ALLOW_PRIVATE_HOSTS: '1', PLC_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'error' },
      FIREHOSE_URL: 'http://127.0.0.1:9',
    }
  }

  const dataOf = (n: number): string[] => ['--data', join(dir, `machine-${n}`)]
  const start = (n: number) => startServiceProcess(['serve', ...dataOf(n)], settings[n])

  test('each is ready, and the status lists both', async () => {
    for (const port of ports.app) {
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`, {
        headers: { host: appHost },
      })
      expect(await ready.text()).toStartWith('ok')
    }
    const { said } = await runCommand(['status', ...dataOf(0)], settings[0])
    for (const port of ports.internal) expect(said.join('\n')).toContain(`127.0.0.1:${port}`)
  }, 60_000)

  test('nginx leads to the one that is there', async () => {
    const home = join(dir, 'nginx')
    await mkdir(home)
    await Bun.write(join(home, 'sites.pem'), certificate)
    await Bun.write(join(home, 'sites.key'), certificateKey)
    const port = await ownPort()
    const block = here(blockWith('upstream sitehost'))
      .replaceAll('/etc/tls', home)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const user = process.getuid?.() === 0 ? 'user root;' : ''
    const places = temporary.map((kind) => `${kind}_temp_path ${home}/${kind};`).join(' ')
    const around = `${user} daemon off; pid ${home}/pid; error_log ${home}/error.log; events {}`
    const file = join(home, 'nginx.conf')
    await Bun.write(file, `${around} http { access_log off; ${places}\n${block}\n}`)
    const command = [nginxProgram ?? '', '-p', home, '-c', file]
    fronts.push(Bun.spawn(command, { stdio: ['ignore', 'ignore', 'ignore'] }))
    const healthy = async () => {
      const answer = await fetch(`https://127.0.0.1:${port}/healthz`, {
        headers: { host: appHost },
        tls: { rejectUnauthorized: false },
        keepalive: false,
      })
      expect(await answer.text()).toBe('ok')
    }
    await eventually(healthy)
    expect(await running[0]?.end('SIGTERM')).toBe(0)
    for (let n = 0; n < 4; n++) await healthy()
    running[0] = await start(0)
    for (let n = 0; n < 4; n++) await healthy()
  }, 60_000)

  test('Caddy asks either of them which names may have a certificate', async () => {
    const shipped = await Bun.file(join(import.meta.dir, '../deploy/Caddyfile')).text()
    const port = await ownPort()
    const added = here(blockWith('lb_try_duration')).replace(
      '127.0.0.1:3001 {',
      `127.0.0.1:${port} {`,
    )
    const config = join(dir, 'Caddyfile')
    await Bun.write(config, `${shipped}\n${added}\n`)
    const environment = Object.fromEntries(
      here(blockWith('UPSTREAM='))
        .split('\n')
        .map((line) => line.replaceAll('"', '').split('=') as [string, string]),
    )
    expect(environment['UPSTREAM']).toBe(ports.app.map((each) => `127.0.0.1:${each}`).join(' '))
    const child = Bun.spawn(
      [caddyProgram ?? '', 'run', '--config', config, '--adapter', 'caddyfile'],
      {
        env: {
          ...{ HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir, CADDY_ADMIN: 'off' },
          ...{ HTTP_PORT: await ownPort(), HTTPS_PORT: await ownPort(), ...environment },
          ASK_LISTEN: `127.0.0.1:${port}`,
          ACME_CA: 'https://127.0.0.1:9/',
        },
        stdio: ['ignore', 'ignore', 'ignore'],
      },
    )
    fronts.push(child)
    const ask = async (name: string) =>
      (await fetch(`http://127.0.0.1:${port}/?domain=${name}`, { keepalive: false })).status
    await eventually(async () => expect(await ask(appHost)).toBe(200))
    expect(await running[1]?.end('SIGTERM')).toBe(0)
    for (let n = 0; n < 4; n++) expect(await ask(appHost)).toBe(200)
    expect(await ask('elsewhere.example')).not.toBe(200)
  }, 60_000)
}

async function query(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server, connectionTimeoutMillis: 3000 })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
