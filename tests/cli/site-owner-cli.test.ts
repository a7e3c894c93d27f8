import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { link, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Did, siteLabel } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { eventually } from '#tests/support/eventually.ts'
import type { CommandEnd } from '#tests/support/processes/run-command.ts'
import { type InstalledCli, installCli } from '#tests/support/processes/site-owner-cli.ts'
import { countUploads } from '#tests/support/publishing/count-uploads.ts'
import { hasPrograms } from '#tests/support/require.ts'
import { startNginx } from '#tests/support/servers/nginx.ts'
import { startWorld, type World } from '#tests/support/world.ts'

// The package as people install it, on Node, against a real account server: the service runs only where a test says so.

let cli: InstalledCli
let world: World
beforeAll(async () => {
  ;[cli, world] = await Promise.all([
    installCli(),
    startWorld({ canFail: true, countsCalls: true }),
  ])
})
afterAll(async () => {
  await cli?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const page = (title: string) => `<h1>${title}</h1>`.repeat(100)
const site = {
  'index.html': page('home'),
  'about.html': page('about'),
  'photo.bin': '\u0000\u0001',
  'blog/one.html': page('one'),
  '.sitehostignore': 'drafts/\n',
  'drafts/two.html': page('two'),
  '.env': 'SECRET=1',
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(cli.dir, path)), { recursive: true })
    await writeFile(join(cli.dir, path), content)
  }
}

const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]))

const account = () => {
  const [alice] = world.network.accounts
  if (alice === undefined) throw new Error('no account')
  return alice
}

const environment = () => ({
  SITEHOST_HANDLE: account().handle,
  SITEHOST_APP_PASSWORD: account().password,
  PLC_URL: world.network.plc,
  HANDLE_RESOLVER_URL: world.network.pds,
  ALLOW_PRIVATE_HOSTS: '1',
})

const deploy = (...args: string[]): Promise<CommandEnd> =>
  cli.run(['deploy', ...args], environment())

async function deployed(...args: string[]) {
  const end = await deploy(...args, '--json')
  if (end.code !== 0) throw new Error(end.complaints)
  return JSON.parse(end.said.join('\n'))
}

const addressOf = (name: string) => ({
  did: account().did as Did,
  name: parseSiteName(name) as SiteName,
})
const sitesAt = () => `http://localhost:${new URL(world.app).port}`
const visit = (name: string, path = '') =>
  fetch(`http://${siteLabel(addressOf(name))}.localhost:${new URL(world.app).port}/${path}`)

const noRedirect = { redirect: 'manual' } as const

/** An answer, to be sent on. */
async function sent(response: Response) {
  const body = await response.bytes()
  const { headers, status } = response
  for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  return { body, headers, status }
}

const hasNginx = await hasPrograms('verification of what nginx serves', 'nginx')

const head = async (): Promise<string> => {
  const url = `${world.network.pds}/xrpc/com.atproto.sync.getLatestCommit?did=${account().did}`
  return ((await (await fetch(url)).json()) as { cid: string }).cid
}

test('a folder is published while no service runs, and is live once one starts', async () => {
  await write(inFolder('site', site))
  // The service follows the accounts that it knows.
  await world.signedIn(account().handle)
  let result: Record<string, unknown> = {}
  await world.restart({}, async () => {
    result = await deployed('site', '--site', 'blog', '--message', 'first')
  })
  expect(result).toMatchObject({ site: 'blog', unchanged: false, files: { total: 4, sent: 4 } })
  const again = await deployed('site', '--site', 'blog', '--wait', sitesAt())
  expect(again).toMatchObject({ unchanged: true, cid: result['cid'] })
  expect(await (await fetch(again.url)).text()).toBe(page('home'))
  expect((await visit('blog', 'blog/one.html')).status).toBe(200)
  expect((await visit('blog', 'drafts/two.html')).status).toBe(404)
})

describe('what is sent and written', () => {
  test('of an unchanged site: nothing; of one with a changed file: that file, and one commit', async () => {
    await write(inFolder('plain', site))
    await deployed('plain', '--site', 'plain')
    const before = await head()
    expect(await deployed('plain', '--site', 'plain')).toMatchObject({
      unchanged: true,
      files: { sent: 0, reused: 4 },
    })
    expect(await head()).toBe(before)
    await write({ 'plain/about.html': page('changed') })
    expect((await deploy('plain', '--site', 'plain', '--dry-run')).said).toEqual(['~ about.html'])
    expect(await head()).toBe(before)
    expect(await deployed('plain', '--site', 'plain')).toMatchObject({
      unchanged: false,
      files: { sent: 1, reused: 3 },
    })
  })

  test('of a site that the service published, whose runtime compresses to other bytes: nothing', async () => {
    const { '.env': _, '.sitehostignore': __, 'drafts/two.html': ___, ...files } = site
    const browser = await world.signedIn(account().handle)
    const upload = Object.entries(files).map(([path, text]) => ({ path, body: new Blob([text]) }))
    await browser.publish('service', upload)
    await write(inFolder('service', site))
    const before = await head()
    expect(await deployed('service', '--site', 'service')).toMatchObject({ unchanged: true })
    expect(await head()).toBe(before)
  })
})

test('--into replaces one folder, and --preview leaves the site as it is', async () => {
  await write(inFolder('parts', site))
  const whole = await deployed('parts', '--site', 'parts')
  const preview = await deployed('parts/blog', '--site', 'parts', '--preview=pr-12')
  expect(preview).toMatchObject({ version: { isPreview: true }, files: { total: 1, sent: 0 } })
  expect((await deployed('parts', '--site', 'parts')).cid).toBe(whole.cid)
  await write({ 'docs/new.html': page('new') })
  const into = await deployed('docs', '--site', 'parts', '--into', 'blog', '--wait', sitesAt())
  expect(into.files).toMatchObject({ total: 4, sent: 1 })
  expect((await visit('parts', 'blog/new.html')).status).toBe(200)
  expect((await visit('parts', 'blog/one.html')).status).toBe(404)
})

test('sitehost.json names the site and sets its settings', async () => {
  const file = JSON.stringify({ site: 'named', settings: { directoryListing: true } })
  await write({ 'named/a/b.txt': 'b', 'named/sitehost.json': file })
  expect(await deployed('named', '--wait', sitesAt())).toMatchObject({ site: 'named' })
  expect((await visit('named', 'a/')).status).toBe(200)
})

describe('what a host serves', () => {
  const ruled = {
    'index.html': page('home'),
    'about.html': page('about'),
    'docs/guide.txt': page('guide'),
    'hidden.html': page('hidden'),
    'photo.bin': '\u0000\u0001',
    _redirects: '/start /about.html 200\n/hidden.html / 301!\n/old /about\n',
    _headers: '/about\n  X-Frame-Options: DENY\n',
    'sitehost.json': JSON.stringify({ settings: { cleanUrls: true, directoryListing: true } }),
  }
  const run = (...args: string[]) => cli.run(args, environment())
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).said.join())
  let origin = ''
  let browser: Awaited<ReturnType<World['signedIn']>>
  beforeAll(async () => {
    browser = await world.signedIn(account().handle)
    await write(inFolder('ruled', ruled))
    const { url } = await deployed('ruled', '--site', 'ruled', '--wait', sitesAt())
    origin = new URL(url).origin
  })

  test('is explained as the service explains it', async () => {
    for (const path of [
      '/about',
      '/about.html',
      '/start',
      '/hidden.html',
      '/old',
      '/docs/',
      '/no',
    ]) {
      const query = new URLSearchParams({ address: origin + path })
      const response = await browser.fetch(`/api/site/ruled/explain?${query}`)
      const { headers, ...said } = (await response.json()) as { headers: { name: string }[] }
      const own = await json('explain', origin + path)
      expect(own).toMatchObject({ ...said, problems: [], answered: { status: own.status } })
      expect(own.headers).toEqual(headers.filter(({ name }) => name !== 'last-modified'))
    }
    const { said } = await run('explain', `${origin}/start`)
    expect(said.slice(0, 4)).toEqual([
      '200: the file about.html',
      `  of at://${account().did}/place.sitehost.fs/ruled`,
      '  because a line of _redirects applies',
      '  _redirects, line 1: /start /about.html 200',
    ])
    expect((await run('explain', `${origin}/about`)).said).toContain(
      '  x-frame-options: DENY  (_headers, line 2)',
    )
  })

  test('is verified: a page that a rule makes of another file, and all files', async () => {
    expect(await json('verify', `${origin}/start`)).toMatchObject({
      path: 'about.html',
      live: true,
    })
    const all = await run('verify', origin, '--all')
    expect(all).toMatchObject({ code: 0 })
    expect(all.said[0]).toStartWith('Verified: 4 of 5 files of at://')
    expect(all.complaints).toContain('not shown: hidden.html, because line 2 of _redirects')
  })

  test('is not, if anything between has changed one byte, or answers with nothing', async () => {
    using proxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch({ url }) {
        const { pathname } = new URL(url)
        if (pathname === '/docs/guide.txt') return new Response('', { status: 404 })
        const { body, headers, status } = await sent(await fetch(origin + pathname, noRedirect))
        if (pathname === '/about') body[40] = 0
        return new Response(body, { status, headers })
      },
    })
    const { code, complaints, said } = await run('verify', String(proxy.url), '--all', '--json')
    expect(code).toBe(1)
    expect(complaints).toContain('Not verified: about.html: it differs at byte 40.')
    expect(complaints).toContain('Not verified: docs/guide.txt: the answer is 404.')
    expect(JSON.parse(said.join())).toMatchObject({
      verified: false,
      files: { total: 5, verified: 2, notShown: [{ path: 'hidden.html', line: 2 }] },
    })
    const page = await run('verify', `${proxy.url}docs/guide.txt`, '--site', 'ruled')
    expect(page.complaints).toContain('answers 404, but the site has docs/guide.txt there')
  })

  test('of a preview or an earlier version is said not to be live', async () => {
    const preview = await deployed('ruled/docs', '--site', 'ruled', '--preview=draft')
    const { uri } = preview
    using host = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(page('guide'), { headers: { 'x-sitehost-record': uri } }),
    })
    const { said } = await run('verify', `${host.url}guide.txt`)
    expect(said[0]).toBe(
      `Verified, but not live: guide.txt of ${uri}, the preview draft of ruled (${preview.version.id})`,
    )
    expect(await json('verify', `${host.url}guide.txt`)).toMatchObject({ live: false })
  })

  test.skipIf(!hasNginx)('is verified where nginx serves a pulled folder', async () => {
    await run('pull', 'ruled', 'mirror')
    await using nginx = await startNginx(join(cli.dir, 'mirror'), join(cli.dir, 'nginx'))
    const all = await run('verify', nginx.origin, '--all', '--site', `${account().handle}/ruled`)
    expect(all).toMatchObject({ code: 0 })
    expect(all.said[0]).toStartWith('Verified: 5 of 5 files of at://')
    await write({ 'mirror/about.html': page('abouT') })
    const changed = await run('verify', `${nginx.origin}/about.html`, '--site', 'ruled')
    expect(changed.complaints).toContain('it differs from about.html of the site at byte 8')
  })
})

describe('a deploy that is ended in the middle', () => {
  const uploads = 'com.atproto.repo.uploadBlob'
  const commits = 'com.atproto.repo.applyWrites'
  const pages = (title: string) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.html`, page(`${title} ${n}`)]))
  const temporary = () => join(cli.dir, 'temporary')

  /** Starts one that changes all pages; resolves once the server holds a call of `method`. */
  async function startHeld(name: string, method: string) {
    await mkdir(temporary(), { recursive: true })
    await write(inFolder(name, pages(`${name}, old`)))
    const { cid } = await deployed(name, '--site', name)
    await write(inFolder(name, pages(`${name}, new`)))
    const sent = await countUploads(world)
    const isHeld = method === uploads ? { hold: true, after: 1 } : { hold: true }
    world.network.setFaults({ [method]: isHeld })
    const command = cli.start(['deploy', name, '--site', name], {
      ...environment(),
      TMPDIR: temporary(),
    })
    const wanted = method === uploads ? 1 : 20
    await eventually(async () => expect(await sent()).toBeGreaterThanOrEqual(wanted))
    return { command, cid }
  }

  const recordCid = async (name: string) =>
    (
      await cli.run(['sites', '--json'], environment()).then(({ said }) => JSON.parse(said.join()))
    ).sites.find(({ site }: { site: string }) => site === name).cid

  const rows = [
    ['SIGINT', 130, uploads],
    ['SIGTERM', 143, commits],
    ['SIGKILL', 137, uploads],
    ['SIGKILL', 137, commits],
  ] as const
  test.each(rows)(
    'by %s (%i) at %s leaves the site whole, and the next one goes on',
    async (...row) => {
      const [signal, code, method] = row
      const name = `ended-${code}-${method.split('.').at(-1)}`
      const { cid, command } = await startHeld(name, method)
      command.kill(signal)
      const end = await command.end
      expect(end).toMatchObject({ code, said: [] })
      if (signal !== 'SIGKILL') {
        expect(end.complaints).toMatch(
          /published as a whole\. Run the same command again\.\n.*Interrupted\./,
        )
        expect(await readdir(temporary())).toEqual([])
      }
      await rm(temporary(), { recursive: true })
      expect(await recordCid(name)).toBe(cid)
      world.network.setFaults({})
      const next = await deployed(name, '--site', name)
      expect(next).toMatchObject({ unchanged: false, files: { total: 20 } })
      expect(await recordCid(name)).toBe(next.cid)
    },
  )

  test('whose commit was not answered is published once', async () => {
    await write(inFolder('unanswered', pages('unanswered')))
    world.network.setFaults({ [commits]: { loseAnswer: true, times: 1 } })
    await deploy('unanswered', '--site', 'unanswered')
    world.network.setFaults({})
    expect(await deployed('unanswered', '--site', 'unanswered')).toMatchObject({ unchanged: true })
    const { said } = await cli.run(['versions', 'unanswered'], environment())
    expect(said).toHaveLength(1)
  })
})

describe('what is left out', () => {
  const rules = { '.sitehostignore': '*.psd\n', 'index.html': 'x', 'a.psd': 'a' }

  test('is counted, named with --verbose, and in --json', async () => {
    await write(inFolder('left', { ...rules, '.env': 'SECRET=1' }))
    const { complaints } = await deploy('left', '--site', 'left', '--dry-run')
    expect(complaints).toContain('Left out: 2 files and folders; --verbose names them.')
    const named = await deploy('left', '--site', 'left', '--dry-run', '--verbose')
    expect(named.complaints).toContain('left out: .env (may hold secrets)')
    expect(await deployed('left', '--site', 'left')).toMatchObject({
      leftOut: [
        { path: '.env', reason: 'may hold secrets' },
        { path: 'a.psd', reason: '.sitehostignore' },
      ],
    })
  })

  test('is said to the end, however slowly a pipe is read', async () => {
    await write(inFolder('many', rules))
    const names = Array.from({ length: 3000 }, (_, n) => `${'x'.repeat(200)}${n}.psd`)
    for (const name of names) await link(join(cli.dir, 'many/a.psd'), join(cli.dir, 'many', name))
    const command = 'sitehost deploy many --site x --verbose 2>&1 | { read first; cat; }'
    const shell = Bun.spawn(['sh', '-c', command], {
      cwd: cli.dir,
      env: { PATH: `${join(cli.dir, 'node_modules/.bin')}:${process.env['PATH']}` },
      stdout: 'pipe',
    })
    const lines = (await new Response(shell.stdout).text()).split('\n')
    expect(lines).toHaveLength(3002)
    expect(lines.at(-2)).toStartWith('Nobody is signed in.')
  })
})

describe('what nobody means to publish is refused', () => {
  test('files that look like credentials, unless --allow-credentials', async () => {
    await write(inFolder('keys', { 'index.html': 'x', '.npmrc': 'token', '.ssh/id_rsa': 'key' }))
    const refused = await deploy('keys', '--site', 'keys')
    expect(refused).toMatchObject({ code: 1, said: [] })
    expect(refused.complaints).toContain('.npmrc, .ssh/id_rsa.')
    const allowed = await deployed('keys', '--site', 'keys', '--allow-credentials', '--dry-run')
    expect(allowed.added).toContain('.npmrc')
  })

  test('the home folder and those above it, unless --allow-home', async () => {
    await write(inFolder('home', { 'index.html': 'x' }))
    const at = { ...environment(), HOME: join(cli.dir, 'home') }
    for (const folder of ['home', '.', '/']) {
      const end = await cli.run(['deploy', folder, '--site', 'home', '--dry-run'], at)
      expect(end).toMatchObject({ code: 1, said: [] })
      expect(end.complaints).toMatch(/home folder.*--allow-home/)
    }
    const allowed = ['deploy', 'home', '--site', 'home', '--dry-run', '--allow-home']
    expect((await cli.run(allowed, at)).said).toEqual(['+ index.html'])
  })
})

describe('what cannot work says why, with its exit status', () => {
  test.each<[string, readonly string[], number, string]>([
    ['no site', ['site'], 2, 'Which site?'],
    ['an unknown option', ['--sight'], 2, "unknown option '--sight'"],
    ['an alias that none can be', ['site', '--preview=Pr_12'], 2, 'preview.alias'],
    ['a folder as an alias', ['--preview', 'wrong'], 2, 'sitehost deploy wrong --preview.'],
    ['no folder', ['nowhere', '--site', 'blog'], 1, 'There is no folder nowhere'],
    ['a mistake in sitehost.json', ['wrong'], 1, 'sitehost.json, line 1, column'],
  ])('%s', async (_, args, code, sentence) => {
    await write({ 'wrong/sitehost.json': '{"sight":1}', 'wrong/a.txt': 'a' })
    const end = await deploy(...args)
    expect(end).toMatchObject({ code, said: [] })
    expect(end.complaints).toContain(sentence)
    expect(end.complaints).not.toContain('\u001b')
  })

  test('a password that the account’s server does not accept', async () => {
    const wrong = { ...environment(), SITEHOST_APP_PASSWORD: 'wrong-secret' }
    const end = await cli.run(['deploy', 'site', '--site', 'blog'], wrong)
    expect(end).toMatchObject({ code: 1, said: [] })
    expect(end.complaints).toContain('did not accept SITEHOST_APP_PASSWORD')
    expect(end.complaints).not.toContain('wrong-secret')
  })
})

test('the app password is warned of once, and is in no output', async () => {
  const { complaints, said } = await deploy('site', '--site', 'blog')
  expect(complaints.match(/may write everything in this account/g)).toHaveLength(1)
  expect(complaints + said.join()).not.toContain(account().password)
})
