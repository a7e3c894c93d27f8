import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import {
  expectAlike,
  type NetworkSite,
  writeSites,
} from '#tests/support/processes/twin-instances.ts'
import { pageUrl, visit, writeSite } from '#tests/support/visitors/plain-sites.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { deactivate } from './support/account-admin.ts'
import { createAccount, createSession, type PdsAccount } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'

// The repositories are the truth: whatever an instance has lost, one command brings it back from there.

const siteCount = 20

let dir: string
let network: Network
let accounts: PdsAccount[]
let sites: NetworkSite[]
let first: ServiceProcess
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-backfill-'))
  network = await startSharedDevnet({ dir: join(dir, 'devnet') })
  accounts = await Promise.all(
    network.accounts.map(({ handle, password }) => createSession(network.pds, handle, password)),
  )
  sites = await writeSites(accounts, siteCount)
  const away = await createAccount(network.pds, 'away.test')
  await writeSite(away, 'hidden', { 'index.html': 'not for you' })
  await deactivate(away)
  expect(await backfill('first', '--all')).toMatchObject({ code: 0, complaints: '' })
  first = await start('first')
}, 300_000)
afterAll(async () => {
  await first.end('SIGTERM')
  await network.stop()
  await rm(dir, { recursive: true, force: true })
})

const settings = () => ({ ...devSettings(network), LOG_LEVEL: 'error' })
const run = (...args: string[]) => runCommand(args, settings())
const backfill = (data: string, ...args: string[]) =>
  run('backfill', ...args, '--data', join(dir, data))
const start = (data: string) =>
  startServiceProcess(['serve', '--port', '0', '--data', join(dir, data)], settings())
const accountOf = (n: number): PdsAccount => accounts[n] as PdsAccount

test('a fresh instance serves every site of the network as any other, and keeps up with them', async () => {
  const { code, said } = await backfill('second', '--all')
  expect(said.at(-1)).toMatch(new RegExp(`^${siteCount} sites of \\d+ accounts here$`))
  expect(code).toBe(0)
  await using second = await start('second')
  await expectAlike([first.ready.app, second.ready.app], sites)
  for (const { ready } of [first, second]) {
    await writeSite(accountOf(0), 'later', { 'index.html': `seen from ${ready.app}` })
    const url = pageUrl(ready.app, accountOf(0).did, 'later')
    await eventually(async () => expect(await visit(url)).toBe(`seen from ${ready.app}`))
  }
  expect(await second.end('SIGTERM')).toBe(0)
}, 120_000)

test('all of it once more changes nothing', async () => {
  const stored = async () =>
    (await readdir(join(dir, 'second', 'blobs'), { recursive: true })).sort()
  const before = await stored()
  expect(await backfill('second', '--all')).toMatchObject({ code: 0, complaints: '' })
  expect(await stored()).toEqual(before)
})

test('an instance that has lost its blobs has them back, beside the service that runs', async () => {
  await using second = await start('second')
  await rm(join(dir, 'second', 'blobs'), { recursive: true })
  const { code, said } = await backfill('second')
  expect({ code, first: said[0] }).toEqual({ code: 0, first: '3 accounts to check' })
  await expectAlike([first.ready.app, second.ready.app], sites)
  expect(await second.end('SIGTERM')).toBe(0)
}, 120_000)

test('a folder in which no service has run is said to be none', async () => {
  const { code, complaints } = await backfill('empty')
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints: expect.stringMatching(/^sitehost: there is no Sitehost data in \S+; choose .*\n$/),
  })
})

describe('repair', () => {
  const repair = (site: string) => run('repair', site, '--data', join(dir, 'first'))

  test('finds nothing wrong with a site that is in order', async () => {
    const { code, said } = await repair(`${accountOf(0).did}/site-0`)
    expect({ code, said }).toEqual({
      code: 0,
      said: [
        `site     at://${accountOf(0).did}/place.sitehost.fs/site-0`,
        'account  active',
        expect.stringMatching(/^record {3}bafy/),
        'files    4 of 4 intact',
        'nothing was wrong',
      ],
    })
  })

  test('mends what is damaged, beside the service that runs', async () => {
    await writeSite(accountOf(1), 'damaged', { 'index.html': 'of which a bit will flip' })
    const url = pageUrl(first.ready.app, accountOf(1).did, 'damaged')
    await eventually(async () => expect(await visit(url)).toBe('of which a bit will flip'))
    const digest = new Bun.CryptoHasher('sha256').update('of which a bit will flip').digest('hex')
    const file = join(dir, 'first', 'blobs', digest.slice(0, 2), digest.slice(2))
    await Bun.write(file, 'oh which a bit will flip')
    const { code, said } = await repair(`at://${accountOf(1).did}/damaged`)
    expect(said.slice(3)).toEqual([
      'files    1 of 1 intact',
      'repaired "index.html": its bytes are missing or damaged',
      'everything was repaired',
    ])
    expect(code).toBe(0)
    expect(await Bun.file(file).text()).toBe('of which a bit will flip')
  })

  test('says what it cannot mend', async () => {
    await writeSite(accountOf(2), 'refused', { '..': 'no name for a file' })
    const { code, said, complaints } = await repair(`${accountOf(2).did}/refused`)
    expect(said.at(-1)).toBe('1 of 1 could not be repaired')
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: 'sitehost: the site is not in order\n',
    })
  })

  test('a site that is nowhere is none', async () => {
    const { code, complaints } = await repair(`at://${accountOf(0).did}/place.sitehost.fs/mistyped`)
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: 'sitehost: there is no such site, neither here nor at its source\n',
    })
  })

  test.each(['blog', 'did:plc:short/blog', 'did:web:host.example/a/b'])(
    '%s is no site',
    async (site) => {
      const { code, complaints } = await repair(site)
      expect({ code, complaints }).toEqual({
        code: 1,
        complaints: `sitehost: "${site}" is not a site: <did>/<rkey>, such as did:plc:…/blog\n`,
      })
    },
  )
})

test('a network that is not there is told in one line', async () => {
  const nowhere = { RELAY_URL: 'http://127.0.0.1:9', ALLOW_PRIVATE_HOSTS: '1' }
  const end = await runCommand(['backfill', '--all', '--data', join(dir, 'alone')], nowhere)
  expect(end).toMatchObject({
    code: 1,
    complaints: 'sitehost: the relay of RELAY_URL does not answer\n',
  })
})
