import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CommandEnd } from '#tests/support/run-command.ts'
import { type InstalledCli, installCli } from '#tests/support/site-owner-cli.ts'
import { consentOverHttp } from '../../devnet/consent.ts'
import { startSharedDevnet } from '../../devnet/shared.ts'
import type { Network } from '../../devnet/start.ts'

// The commands for site owners as people have them, on Node, with an account server and no Sitehost.

let cli: InstalledCli
let network: Network
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'site-commands-'))
  ;[cli, network] = await Promise.all([installCli(), startSharedDevnet({ dir })])
  await write('site', { 'index.html': page('home'), 'about.html': page('about'), 'a.bin': '\0' })
})
afterAll(async () => {
  await cli?.[Symbol.asyncDispose]()
  await network?.[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

const page = (title: string) => `<h1>${title}</h1>`.repeat(100)

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(cli.dir, folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
}

const servers = () => ({
  PLC_URL: network.plc,
  HANDLE_RESOLVER_URL: network.pds,
  ALLOW_PRIVATE_HOSTS: '1',
})

/** Lines of the result; throws for another exit status than 0. */
async function said(...args: string[]): Promise<readonly string[]> {
  const end = await run(...args)
  if (end.code !== 0) throw new Error(end.complaints)
  return end.said
}
const run = (...args: string[]): Promise<CommandEnd> => cli.run(args, servers())
const json = async (...args: string[]) => JSON.parse((await said(...args, '--json')).join(''))

const alice = { handle: 'alice.test', password: 'hunter2pass' }
const addressIn = (text: string): string | undefined => text.match(/^http\S+(?=\r?\n)/m)?.[0]

/** What a person does in the browser; returns where it ends. */
const consent = (address: string, { handle, password } = alice): Promise<URL> =>
  consentOverHttp(address, handle, password)

describe('signing in', () => {
  test('without anybody signed in, commands say how', async () => {
    expect(await run('whoami')).toMatchObject({ code: 1, said: [] })
    const end = await run('deploy', 'site', '--site', 'blog')
    expect(end.code).toBe(2)
    expect(end.complaints).toContain('sitehost login <your handle>')
  })

  test('by a browser of this machine', async () => {
    let arrived: Promise<string> | undefined
    const login = await cli.run(['login', alice.handle, '--no-browser'], servers(), (text) => {
      const address = addressIn(text)
      if (address !== undefined)
        arrived ??= consent(address).then(async (url) => {
          return await (await fetch(url)).text()
        })
    })
    expect(login).toMatchObject({ code: 0, said: ['Signed in as alice.test.'] })
    expect(await arrived).toContain('You are signed in.')
    const file = await stat(join(cli.dir, '.local/share/sitehost/accounts.json'))
    expect(file.mode & 0o777).toBe(0o600)
    expect(await said('whoami')).toEqual(['alice.test'])
    expect(await json('deploy', 'site', '--site', 'blog')).toMatchObject({
      site: 'blog',
      files: { sent: 3 },
    })
  })

  test('by a browser elsewhere, whose last address is pasted; the last sign-in is that of commands', async () => {
    const [, bob = alice] = network.accounts
    await using terminal = cli.runAtTerminal(['login', bob.handle, '--no-browser'], servers())
    await terminal.shows('Paste the address')
    terminal.type('https://example.com\r')
    await terminal.shows('That is not the address')
    const end = await consent(addressIn(terminal.screen()) ?? '', bob)
    terminal.type(`${end.href}\r`)
    await terminal.shows(`Signed in as ${bob.handle}.`)
    expect(await terminal.exited).toBe(0)
    const who = await json('whoami')
    expect(who).toMatchObject({ account: bob.handle, signIn: 'browser' })
    expect(who.accounts).toHaveLength(2)
    expect(
      await json('deploy', 'site', '--site', 'other', '--account', 'alice.test'),
    ).toMatchObject({
      did: network.accounts[0]?.did,
    })
    expect(await said('logout', bob.handle)).toEqual([`Signed out: ${bob.handle}.`])
    expect((await run('deploy', 'site', '--site', 'x', '--account', bob.handle)).code).toBe(2)
  })
})
