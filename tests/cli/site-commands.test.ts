import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CommandEnd } from '#tests/support/processes/run-command.ts'
import { type InstalledCli, installCli } from '#tests/support/processes/site-owner-cli.ts'
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
    await using terminal = cli.runAtTerminal(['deploy', 'site'], servers())
    await terminal.shows('sitehost login <your handle>')
    expect(await terminal.exited).toBe(2)
    expect(terminal.screen()).not.toContain('Name of the site')
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

  test('ends when the browser allows it for another account, or the server does not', async () => {
    const [, bob = alice] = network.accounts
    const ending = async (allow: (address: string) => Promise<URL>): Promise<CommandEnd> => {
      let arrived: Promise<Response> | undefined
      const end = await cli.run(['login', alice.handle, '--no-browser'], servers(), (text) => {
        const address = addressIn(text)
        if (address !== undefined) arrived ??= allow(address).then((url) => fetch(url))
      })
      expect(await (await arrived)?.text()).toContain('You are not signed in.')
      return end
    }
    const other = await ending((address) => consent(address, bob))
    expect(other).toMatchObject({ code: 1, said: [] })
    expect(other.complaints).toContain('You allowed it for another account than alice.test.')
    const failed = await ending(async (address) => {
      const back = await consent(address)
      back.searchParams.delete('code')
      back.searchParams.set('error', 'server_error')
      return back
    })
    expect(failed).toMatchObject({ code: 1, said: [] })
    expect(failed.complaints).toContain('Begin again.')
    expect(await said('whoami')).toEqual(['alice.test'])
  }, 60_000)

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is given up by %s, which the next command does not notice', async (signal, code) => {
    let command: ReturnType<typeof cli.start> | undefined
    let shown = ''
    command = cli.start(['login', alice.handle, '--no-browser'], servers(), (text) => {
      shown = text
      if (addressIn(text) !== undefined) command?.kill(signal)
    })
    expect(await command.end).toMatchObject({ code, said: [] })
    expect(shown).toEndWith('Interrupted.\n')
    expect(shown).not.toContain('publish')
    expect(await said('whoami')).toEqual(['alice.test'])
  })

  test.each([
    ['Ctrl-C', '\x03', 130, 'Interrupted.'],
    ['Ctrl-D', '\x04', 1, 'There was no answer.'],
  ] as const)('is given up by %s at a question', async (_, key, code, sentence) => {
    await using terminal = cli.runAtTerminal(['login'], servers())
    await terminal.shows('Your handle')
    terminal.type(key)
    expect(await terminal.exited).toBe(code)
    const shown = terminal.screen().trim().split('\r\n')
    expect(shown).toHaveLength(2)
    expect(shown[1]).toContain(sentence)
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
    const note = `Acts for ${bob.handle}. Another account: --account <handle>.`
    expect((await run('sites')).complaints).toStartWith(`${note}\n`)
    expect((await run('sites', '--account', bob.handle)).complaints).not.toContain('Acts for')
    expect(
      await json('deploy', 'site', '--site', 'other', '--account', 'alice.test'),
    ).toMatchObject({
      did: network.accounts[0]?.did,
    })
    expect(await said('logout', bob.handle)).toEqual([`Signed out: ${bob.handle}.`])
  })
})

describe('history', () => {
  const versions = async () => (await json('versions', 'blog')).versions
  const states = async () => (await versions()).map(({ state }: { state: string }) => state)

  test('sites and versions are listed', async () => {
    await write('site', { 'index.html': page('second') })
    await json('deploy', 'site', '--site', 'blog', '--message', 'second')
    const { sites } = await json('sites')
    expect(sites).toMatchObject([
      { site: 'blog', files: 3, versions: 2 },
      { site: 'other', files: 3, versions: 1 },
    ])
    expect(await versions()).toMatchObject([
      { state: 'live', files: 3, message: 'second' },
      { state: 'replaced', files: 3, message: null },
    ])
    expect((await said('versions', 'blog'))[0]).toMatch(
      /^3\w{12} {2}live {6}20\d\d-\d\d-\d\d \d\d:\d\d UTC {2}3 files {2}second$/,
    )
  })

  test('the previous version is live again, and then the newer one', async () => {
    const [newer, older] = await versions()
    expect(await json('rollback', 'previous', '--site', 'blog')).toMatchObject({
      version: older.id,
    })
    expect(await states()).toEqual(['replaced', 'live'])
    expect(await said('restore', newer.id, '--site', 'blog')).toEqual([
      `blog is version ${newer.id} now: 3 files.`,
    ])
  })

  test('a preview goes live by its alias, and what is live is not forgotten', async () => {
    await json('deploy', 'site', '--site', 'blog', '--preview=pr-12', '--into', 'more')
    const promoted = await json('promote', 'pr-12', '--site', 'blog')
    expect(promoted).toMatchObject({ files: 6 })
    const refused = await run('forget', promoted.version, '--site', 'blog')
    expect(refused).toMatchObject({ code: 1, said: [] })
    expect(refused.complaints).toContain('is live')
    const { records, version } = await json('forget', 'previous', '--site', 'blog')
    expect(records).toContain(`at://${network.accounts[0]?.did}/place.sitehost.version/${version}`)
    expect(await states()).toEqual(['live', 'replaced'])
  })

  test('only previews are promoted, and only sites that are named have versions', async () => {
    const [live] = await versions()
    const promoted = await run('promote', live.id, '--site', 'blog')
    expect(promoted).toMatchObject({ code: 1, said: [] })
    expect(promoted.complaints).toContain(`${live.id} is no preview`)
    const unnamed = await run('versions')
    expect(unnamed).toMatchObject({ code: 2, said: [] })
    expect(unnamed.complaints).toContain('Which site?')
  })

  test('an account that is not signed in is told how to', async () => {
    const end = await run('sites', '--account', 'nobody.test')
    expect(end).toMatchObject({ code: 2, said: [] })
    expect(end.complaints).toContain('nobody.test is not signed in')
    expect(end.complaints).not.toContain('APP_PASSWORD')
  })

  test('what is no version is a mistake, what is not there a failure', async () => {
    expect((await run('rollback', 'No', '--site', 'blog')).code).toBe(2)
    expect((await run('rollback', '3aaaaaaaaaaa2', '--site', 'blog')).code).toBe(1)
  })
})

describe('settings', () => {
  test('are read, set by field, and removed', async () => {
    await said('settings', 'set', '--site', 'blog', 'cleanUrls=true', 'custom404=about.html')
    expect(await json('settings', 'get', '--site', 'blog')).toMatchObject({
      cleanUrls: true,
      custom404: 'about.html',
    })
    await said('settings', 'set', '--site', 'blog', 'custom404=')
    const settings = await json('settings', 'get', '--site', 'blog')
    expect(settings).toMatchObject({ cleanUrls: true })
    expect(settings.custom404).toBeUndefined()
  })

  describe('edited in an editor', () => {
    const edit = (program: string, ...args: string[]) =>
      cli.run(['settings', 'edit', '--site', 'blog', ...args], { ...servers(), EDITOR: program })
    const keptIn = ({ complaints }: CommandEnd): string =>
      complaints.match(/What you typed is in (.+)\.$/m)?.[1] ?? ''

    test('are written when they are valid, and left when they are as they were', async () => {
      const change = `sed -i s/true/false/`
      expect(await edit(change)).toMatchObject({ code: 0 })
      expect(await json('settings', 'get', '--site', 'blog')).toMatchObject({ cleanUrls: false })
      const { complaints, said } = await edit('true')
      expect([said, complaints]).toEqual([[], 'Nothing was changed.\n'])
    })

    test('without a terminal a mistake ends it, and what was typed is kept', async () => {
      const end = await edit('sed -i s/false/maybe/')
      expect(end).toMatchObject({ code: 1, said: [] })
      expect(end.complaints).toMatch(/^line \d+, column \d+: expected JSON\.$/m)
      expect(await Bun.file(keptIn(end)).text()).toContain('"cleanUrls": maybe')
      await rm(dirname(keptIn(end)), { recursive: true })
    })

    test('at a terminal the same text is edited again', async () => {
      // The first mistake is mended the second time.
      const editor = `f() { grep -q maybe "$1" && sed -i s/maybe/true/ "$1" || sed -i s/false/maybe/ "$1"; }; f`
      const environment = { ...servers(), EDITOR: editor }
      await using terminal = cli.runAtTerminal(['settings', 'edit', '--site', 'blog'], environment)
      await terminal.shows('Edit it again?')
      terminal.type('\r')
      await terminal.shows('are written')
      expect(await terminal.exited).toBe(0)
      expect(await json('settings', 'get', '--site', 'blog')).toMatchObject({ cleanUrls: true })
    })

    test('are not written over what another program wrote meanwhile', async () => {
      const program = join(cli.dir, 'node_modules/.bin/sitehost')
      const other = `${program} settings set --site blog trailingSlash=never >/dev/null; sed -i s/true/false/`
      const end = await edit(other)
      expect(end).toMatchObject({ code: 1, said: [] })
      expect(end.complaints).toContain('Another program changed the site meanwhile')
      expect(await Bun.file(keptIn(end)).text()).toContain('"cleanUrls": false')
      const settings = await json('settings', 'get', '--site', 'blog')
      expect(settings).toMatchObject({ cleanUrls: true, trailingSlash: 'never' })
      await rm(dirname(keptIn(end)), { recursive: true })
    })
  })

  test('that there are not are mistakes', async () => {
    expect((await run('settings', 'set', '--site', 'blog', 'cleanUrls')).code).toBe(2)
    const unknown = await run('settings', 'set', '--site', 'blog', 'colour=red')
    expect(unknown.code).toBe(2)
    expect(unknown.complaints).toContain('There is no setting colour. There are: indexFiles, ')
  })
})

describe('a diagnosis', () => {
  const findings = async (...args: string[]) => {
    const { code, said } = await run('diagnose', ...args, '--json')
    const found: { about: string; level: string; seen: string }[] = JSON.parse(said.join()).findings
    return { code, levels: Object.fromEntries(found.map(({ about, level }) => [about, level])) }
  }

  test('of an account that can publish finds nothing in the way', async () => {
    const { code, levels } = await findings()
    expect([code, Object.keys(levels)]).toEqual([
      0,
      ['sign-in', 'handle', 'server', 'file size', 'rate limit', 'clock'],
    ])
    expect(levels).not.toContainValue('problem')
    expect((await said('doctor'))[0]).toMatch(/^ok {7}sign-in {8}as did:plc:/)
  })

  test('names an outdated host, one without a site, and a name that leads nowhere', async () => {
    const { sites } = await json('sites')
    const blog = sites.find(({ site }: { site: string }) => site === 'blog')
    const hostWith = (headers: Record<string, string>) =>
      Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('', { headers }) })
    const record = { 'x-sitehost-record': blog.uri }
    using newest = hostWith({ ...record, 'x-sitehost-version': blog.cid })
    using outdated = hostWith({ ...record, 'x-sitehost-version': 'bafyother' })
    using none = hostWith({})
    expect((await findings(String(newest.url))).levels).toMatchObject({ DNS: 'ok', site: 'ok' })
    expect(await findings(String(outdated.url))).toMatchObject({
      code: 0,
      levels: { site: 'warning' },
    })
    expect(await findings(String(none.url))).toMatchObject({ code: 1, levels: { site: 'problem' } })
    expect(await findings('nowhere.invalid')).toMatchObject({ code: 1, levels: { DNS: 'problem' } })
  })

  test('of nobody says how to sign in', async () => {
    const end = await cli.run(['diagnose'], { ...servers(), HOME: dir })
    expect(end.code).toBe(1)
    expect(end.said.join()).toContain('sitehost login <your handle>')
  })
})

describe('a site that anybody reads', () => {
  const files = { 'index.html': page('copy'), 'docs/a.txt': 'a', '404.html': page('gone') }

  test('pulled, it is the folder that was deployed, and deployed again it is unchanged', async () => {
    await write('source', files)
    await json('deploy', 'source', '--site', 'copy')
    const name = `${alice.handle}/copy`
    const pulled = await cli.run(['pull', name, 'pulled', '--json'], { ...servers(), HOME: dir })
    expect(JSON.parse(pulled.said.join())).toMatchObject({ site: 'copy', files: 3 })
    for (const [path, text] of Object.entries(files)) {
      expect(await Bun.file(join(cli.dir, 'pulled', path)).text()).toBe(text)
    }
    expect(await json('deploy', 'pulled', '--site', 'copy')).toMatchObject({ unchanged: true })
    expect((await run('pull', 'copy', 'pulled')).complaints).toContain('is not empty')
  })

  test('an earlier version is pulled by its id', async () => {
    const { versions } = await json('versions', 'copy')
    await write('source', { 'index.html': page('newer') })
    await json('deploy', 'source', '--site', 'copy')
    await said('pull', 'copy', 'older', '--at', versions[0].id)
    expect(await Bun.file(join(cli.dir, 'older/index.html')).text()).toBe(files['index.html'])
  })

  test('is verified at any host: what differs, and whose it is not, is named', async () => {
    const record = `at://${network.accounts[0]?.did}/place.sitehost.fs/copy`
    const { cid } = await json('deploy', 'source', '--site', 'copy')
    const bob = network.accounts[1]
    const ofBob = `at://${bob?.did}/place.sitehost.fs/copy`
    const headers = { 'x-sitehost-record': record, 'x-sitehost-version': cid }
    const newer = page('newer')
    const answers: Readonly<Record<string, () => Response>> = {
      '/': () => new Response(newer, { headers }),
      '/docs/a.txt': () => new Response('a'),
      '/missing': () => new Response(files['404.html'], { status: 404, headers }),
      '/index.html': () => new Response(`${newer.slice(0, 40)}!${newer.slice(41)}`, { headers }),
      '/of-other/': () => new Response(newer, { headers: { 'x-sitehost-record': ofBob } }),
      '/stale/': () =>
        new Response('', { headers: { ...headers, 'x-sitehost-version': 'bafyother' } }),
    }
    using host = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) => answers[new URL(url).pathname]?.() ?? new Response('', { status: 500 }),
    })
    const at = (path: string) => `http://127.0.0.1:${host.port}${path}`
    expect(await json('verify', at('/docs/a.txt'), '--site', 'copy')).toMatchObject({
      verified: true,
      path: 'docs/a.txt',
      cid,
    })
    expect((await said('verify', at('/missing')))[0]).toBe(`Verified: 404.html of ${record}`)
    const refused: [string[], string][] = [
      [[at('/index.html')], 'it differs from index.html of the site at byte 40'],
      [[at('/docs/a.txt')], 'does not say whose record this is'],
      [[at('/'), '--site', 'blog'], `shows ${record}, not at://`],
      [[at('/'), '--site', `${bob?.handle}/copy`], `shows ${record}, not ${ofBob}.`],
      [[at('/of-other/'), '--site', 'copy'], `shows ${ofBob}, not ${record}.`],
      [[at('/of-other/')], `There is no ${ofBob}.`],
      [[at('/stale/')], 'shows the version bafyother, but the repository has'],
    ]
    for (const [args, sentence] of refused) {
      const end = await run('verify', ...args)
      expect(end).toMatchObject({ code: 1, said: [] })
      expect(end.complaints).toContain(sentence)
    }
  })
})
