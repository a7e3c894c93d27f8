import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { codeBlocks } from '#tests/support/code-blocks.ts'
import { type OwnDatabase, onEachDatabase } from '#tests/support/database/databases.ts'
import { TcpSwitch } from '#tests/support/growth/tcp-switch.ts'
import { SeveralInstances } from '#tests/support/processes/several-instances.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { type S3Server, startS3Server } from '#tests/support/servers/s3-server.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { eventually } from './support/eventually.ts'

// One instance, and an edge whose database role only reads, as docs/operating.md makes it.

const instance = 0
const edge = 1

await onEachDatabase('an edge of its own', (make, dialect) => {
  if (dialect === 'sqlite') return
  const role = `sitehost_edge_${crypto.randomUUID().replaceAll('-', '')}`
  let dir: string
  let network: Network
  let own: OwnDatabase
  let owner: pg.Client
  let s3: S3Server
  let cable: TcpSwitch
  let instances: SeveralInstances
  let alice: AppClient
  /** Pages that the edge has answered. */
  let visits = 0

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-edge-alone-'))
    network = await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: false })
    own = await make()
    owner = new pg.Client({ connectionString: own.options.url })
    await owner.connect()
    s3 = await startS3Server()
    cable = await TcpSwitch.to(Number(new URL(own.options.url ?? '').port || 5432))
    instances = await SeveralInstances.open({ dir, network, own, s3: s3.endpoint }, 2)
    const starting = instances.start(edge, edgeSettings())
    starting.catch(() => undefined)
    await instances.start(instance)
    for (const statement of await statementsOfDocument()) await owner.query(statement)
    await starting
    alice = instances.client(() => instance)
    const account = network.accounts.find(({ handle }) => handle === 'alice.test')
    await alice.signIn('alice.test', account?.password ?? '')
  }, 300_000)
  afterAll(async () => {
    await instances?.[Symbol.asyncDispose]()
    await cable?.[Symbol.asyncDispose]()
    await network?.stop()
    await s3?.stop()
    await owner?.query(`drop owned by ${role}; drop role ${role}`)
    await owner?.end()
    await own?.[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  }, 120_000)

  const edgeUrl = (): URL => {
    const url = new URL(own.options.url ?? '')
    url.host = `127.0.0.1:${cable.port}`
    url.username = role
    url.password = 'of-the-edge'
    return url
  }
  const edgeSettings = () => ({
    ...{ ROLES: 'edge', INTERNAL_LISTEN: '', SECRET_KEY: '', DATABASE_URL: edgeUrl().href },
  })

  async function statementsOfDocument(): Promise<string[]> {
    const document = await Bun.file(new URL('../docs/operating.md', import.meta.url)).text()
    const block = codeBlocks(document).find((code) => code.startsWith('create role sitehost_edge'))
    const { user } = owner
    return (block ?? '')
      .replaceAll('sitehost_edge', role)
      .replace('for role sitehost ', `for role ${user} `)
      .replace('<password>', 'of-the-edge')
      .split(';')
      .filter((statement) => statement.trim() !== '')
  }

  async function visit(url: string): Promise<string> {
    const page = await instances.visit(edge, url)
    if (page.startsWith('<h1>')) visits++
    return page
  }
  async function publish(name: string, html: string): Promise<string> {
    const result = await alice.publish(name, [textFile('index.html', html)])
    return String(result['url'])
  }
  const health = async (): Promise<{ status: number; text: string }> => {
    const answer = await instances.send(edge, '/readyz')
    return { status: answer.status, text: await answer.text() }
  }
  async function countedVisits(): Promise<number> {
    const { rows } = await owner.query(
      `select coalesce(sum(count), 0)::int as visits from site_visits where kind = 'page'`,
    )
    return rows[0].visits
  }

  test('its role reads sites, those of later tables too, but no secrets, and writes nothing', async () => {
    await owner.query('create table added_later (id int)')
    await using client = await connected(edgeUrl())
    await client.query('select * from added_later')
    await client.query('select * from sites')
    const denied = [
      'select * from sealed_rows',
      'select * from browser_sessions',
      'insert into added_later values (1)',
      'delete from site_traffic',
      'create table mine (id int)',
    ]
    for (const statement of denied) {
      await expect(client.query(statement)).rejects.toThrow('permission denied')
    }
  })

  test('what is published at the instance is visible at the edge, which has nothing of the application', async () => {
    const url = await publish('blog', '<h1>blog</h1>')
    await eventually(async () => expect(await visit(url)).toBe('<h1>blog</h1>'))
    expect((await instances.send(edge, '/')).status).toBe(421)
    expect((await instances.send(edge, '/api/auth/status')).status).toBe(421)
    expect(await health()).toEqual({ status: 200, text: 'ok' })
  }, 120_000)

  test('while the database is away known sites are served; it recovers, and no visit is lost', async () => {
    const url = await publish('known', '<h1>known</h1>')
    await eventually(async () => expect(await visit(url)).toBe('<h1>known</h1>'))
    cable.refuse()
    await eventually(async () => {
      expect(await health()).toMatchObject({ status: 503 })
    })
    expect((await health()).text).toContain('The database does not answer.')
    expect(await visit(url)).toBe('<h1>known</h1>')
    const next = await publish('next', '<h1>next</h1>')
    expect(await visit(next)).not.toBe('<h1>next</h1>')

    cable.mend()
    await eventually(async () => expect(await visit(next)).toBe('<h1>next</h1>'))
    await publish('known', '<h1>changed</h1>')
    await eventually(async () => expect(await visit(url)).toBe('<h1>changed</h1>'))
    await eventually(async () => expect(await health()).toEqual({ status: 200, text: 'ok' }))
    await eventually(async () => expect(await countedVisits()).toBe(visits))
  }, 120_000)
})

async function connected(url: URL): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
