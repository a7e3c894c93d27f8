import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { sentences } from '#api/contract/messages.ts'
import { type InstalledCli, installCli } from '#tests/support/processes/site-owner-cli.ts'
import { startWorld, type World } from '#tests/support/world.ts'

// The installed package on Node, asked by the SDK's own client, against a real account server. Only domains need the service.

let cli: InstalledCli
let world: World
let plain: Client
let asking: Client
beforeAll(async () => {
  ;[cli, world] = await Promise.all([installCli(), startWorld()])
  ;[plain, asking] = await Promise.all([connect(false), connect(true)])
  await write('whole', { 'index.html': '<h1>home</h1>', 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
  await write('small', { 'index.html': '<h1>home</h1>' })
})
afterAll(async () => {
  await Promise.all([plain?.close(), asking?.close()])
  await world?.[Symbol.asyncDispose]()
  await cli?.[Symbol.asyncDispose]()
})

/** What the person was asked, and what they say. */
const questions: string[] = []
let action: 'accept' | 'decline' = 'decline'

async function connect(canAsk: boolean): Promise<Client> {
  const { network } = world
  const [account] = network.accounts
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: canAsk ? { elicitation: {} } : {} },
  )
  if (canAsk) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message)
      return { action, ...(action === 'accept' && { content: {} }) }
    })
  }
  await client.connect(
    new StdioClientTransport({
      command: join(cli.dir, 'node_modules/.bin/sitehost'),
      args: ['mcp'],
      cwd: cli.dir,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: cli.dir,
        SITEHOST_HANDLE: account?.handle ?? '',
        SITEHOST_APP_PASSWORD: account?.password ?? '',
        PLC_URL: network.plc,
        HANDLE_RESOLVER_URL: network.pds,
        ALLOW_PRIVATE_HOSTS: '1',
        SITEHOST_URL: world.app,
      },
      stderr: 'ignore',
    }),
  )
  return client
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(cli.dir, folder), { recursive: true })
  for (const [path, text] of Object.entries(files))
    await Bun.write(join(cli.dir, folder, path), text)
}

/** The result's object, or the sentence of the refusal. */
async function call(name: string, given: Record<string, unknown> = {}, client = plain) {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: given })
  const [first] = content as { text: string }[]
  return isError ? String(first?.text) : (structuredContent as Record<string, unknown>)
}

test('tools say what they change', async () => {
  const { tools } = await plain.listTools()
  expect(
    tools.map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint,
      annotations?.destructiveHint ?? false,
    ]),
  ).toEqual([
    ['list_sites', true, false],
    ['list_versions', true, false],
    ['deploy', false, true],
    ['restore', false, true],
    ['verify', true, false],
    ['explain', true, false],
    ['list_domains', true, false],
    ['claim_name', false, false],
    ['add_domain', false, false],
    ['verify_domain', false, false],
    ['map_domain', false, true],
    ['release_domain', false, true],
  ])
  expect(tools.find(({ name }) => name === 'deploy')?.inputSchema).toMatchObject({
    required: ['folder', 'site'],
    additionalProperties: false,
  })
})

test('a folder is published, compared, listed and verified', async () => {
  expect(await call('deploy', { folder: 'whole', site: 'blog', dry_run: true })).toMatchObject({
    added: expect.arrayContaining(['index.html']),
  })
  expect(await call('deploy', { folder: 'whole', site: 'blog' })).toMatchObject({
    files: { total: 4, sent: 4 },
  })
  expect(await call('list_sites')).toMatchObject({ sites: [{ site: 'blog', files: 4 }] })
  expect(await call('list_versions', { site: 'blog' })).toMatchObject({
    versions: [{ state: 'live' }],
  })
  using host = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('<h1>home</h1>'),
  })
  const site = `${world.network.accounts[0]?.did}/blog`
  expect(await call('verify', { address: String(host.url), site })).toMatchObject({
    verified: true,
    path: 'index.html',
  })
  expect(await call('explain', { address: String(host.url), site })).toMatchObject({
    status: 200,
    by: 'file',
    file: 'index.html',
  })
})

describe('what removes most of a site, or makes another version live', () => {
  test('needs the name of it, where the program cannot ask', async () => {
    await call('deploy', { folder: 'whole', site: 'named' })
    const removing = { folder: 'small', site: 'named' }
    expect(await call('deploy', removing)).toMatch(
      /^This removes 3 of the 4 files of named.*"confirm": "named"/,
    )
    expect(await call('deploy', { ...removing, confirm: 'yes' })).toContain('Nothing was changed')
    expect(await call('deploy', { ...removing, confirm: 'named' })).toMatchObject({
      files: { total: 1 },
    })
    const back = { site: 'named', version: 'previous' }
    expect(await call('restore', back)).toContain('"confirm": "previous"')
    expect(await call('restore', { ...back, confirm: 'previous' })).toMatchObject({ files: 4 })
  })

  test('is asked of the person where it can, whatever the program confirms', async () => {
    await call('deploy', { folder: 'whole', site: 'asked' })
    const removing = { folder: 'small', site: 'asked', confirm: 'asked' }
    action = 'decline'
    expect(await call('deploy', removing, asking)).toStartWith('Nothing was published.\n')
    action = 'accept'
    expect(await call('deploy', removing, asking)).toMatchObject({ files: { total: 1 } })
    const question = 'This removes 3 of the 4 files of asked. Publish?'
    expect(questions).toEqual([question, question])
  })
})

describe('domains, at a Sitehost', () => {
  test('need a person who is signed in there', async () => {
    expect(await call('list_domains')).toContain(sentences.serviceTokenOfNobody)
    await world.signedIn('alice.test')
    expect(await call('list_domains')).toEqual({ sitehostDomains: [], customDomains: [] })
  })

  test('are claimed, added with the records that they need, verified and pointed at a site', async () => {
    await call('deploy', { folder: 'whole', site: 'home', wait: sitesAt() })
    const claimed = (await call('claim_name', { name: 'alices-home' })) as { domain: string }
    const site = { domain: claimed.domain, site: 'home' }
    expect(await call('map_domain', site)).toEqual(site)
    const domain = 'www.alice-of-tools.net'
    expect(await call('add_domain', { domain })).toMatchObject({
      ...{ domain, verified: false, dns: { txt: { name: `_sitehost.${domain}` } } },
    })
    expect(await call('verify_domain', { domain })).toContain(`{"domain":"${domain}"`)
    expect(await call('map_domain', { ...site, site: null })).toEqual({ ...site, site: null })
    expect(await call('list_domains', { instance: world.app })).toMatchObject({
      sitehostDomains: [{ domain: claimed.domain, rkey: '' }],
      customDomains: [{ domain, verified: false }],
    })
  })

  test('are released once the person has agreed', async () => {
    const released = { domain: 'www.alice-of-tools.net' }
    expect(await call('release_domain', released)).toContain('"confirm": "www.alice-of-tools.net"')
    action = 'decline'
    expect(await call('release_domain', released, asking)).toContain('Nothing was changed.')
    expect(questions.at(-1)).toBe(
      'Visitors get no site at www.alice-of-tools.net then. Release it?',
    )
    const confirm = released.domain
    expect(await call('release_domain', { ...released, confirm })).toEqual({ released: confirm })
  })

  const sitesAt = () => `http://localhost:${new URL(world.app).port}`
})

test.each<[string, string, Record<string, unknown>, string]>([
  ['no such tool', 'forget', {}, 'There is no tool'],
  ['a missing argument', 'deploy', { folder: 'whole' }, 'site'],
  [
    'an argument that there is not',
    'deploy',
    { folder: 'whole', site: 'x', allow_home: true },
    'allow_home',
  ],
  ['no folder', 'deploy', { folder: 'nowhere', site: 'x' }, 'There is no folder nowhere'],
  ['credentials', 'deploy', { folder: 'secret', site: 'x' }, '.npmrc'],
  [
    'no version',
    'restore',
    { site: 'none', version: '3mkq2vtpdbk2c', confirm: '3mkq2vtpdbk2c' },
    'no version',
  ],
])('%s: a sentence for the program', async (_, name, given, sentence) => {
  await write('secret', { 'index.html': 'x', '.npmrc': 'token' })
  expect(await call(name, given)).toContain(sentence)
})

test('it ends when the program has gone', async () => {
  const client = await connect(false)
  const { pid } = client.transport as StdioClientTransport
  await client.close()
  expect(() => process.kill(Number(pid), 0)).toThrow()
})
