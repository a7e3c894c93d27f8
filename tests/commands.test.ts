import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, exists, mkdir, mkdtemp, rename, rm, rmdir, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { runAtTerminal } from '#tests/support/processes/at-terminal.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'

const root = join(import.meta.dir, '..')
/** A real network that is not there. */
const nowhere = { FIREHOSE_URL: 'http://127.0.0.1:9', PLC_URL: 'http://127.0.0.1:9' }

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-commands-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

interface Ready {
  readonly app: string
  readonly baseDomain: string
  readonly port: number
  readonly pds: string
  readonly plc: string
  readonly accounts: readonly { handle: string; did: string; password: string }[]
  readonly sites: readonly { did: string; rkey: string; url: string }[]
}

describe('demo', () => {
  test('prints one ready line that is true, and stops with everything it started', async () => {
    await using demo = await startServiceProcess(['demo', '--port', '0', '--data', dir])
    const ready = demo.ready as unknown as Ready
    expect(demo.output().match(/^ready /gm)).toHaveLength(1)
    expect(ready.app).toBe(`http://127.0.0.1:${ready.port}`)
    expect(ready.baseDomain).toBe('localhost')
    expect(ready.accounts.map(({ handle }) => handle)).toEqual([
      'alice.test',
      'bob.test',
      'carol.test',
    ])
    expect((await fetch(ready.app)).status).toBe(200)
    const [site] = ready.sites
    expect(await (await fetch(site?.url ?? '')).text()).toContain('Hello')

    const stoppingSince = performance.now()
    expect(await demo.end('SIGTERM')).toBe(0)
    expect(performance.now() - stoppingSince).toBeLessThan(5_000)
    for (const url of [ready.app, ready.pds, ready.plc]) {
      await expect(fetch(url)).rejects.toThrow()
    }
  }, 120_000)

  test('starts again with the same accounts and the same site, whatever a service beside it is told', async () => {
    await using demo = await startServiceProcess(['demo', '--port', '0', '--data', dir], {
      ...{ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/real', SECRET_KEY: 'x'.repeat(40) },
      ...{ BASE_URL: 'https://sitehost.example', BASE_DOMAIN: 'sites.example' },
    })
    const ready = demo.ready as unknown as Ready
    const answer = await fetch(ready.sites[0]?.url ?? '')
    expect(answer.headers.get('x-sitehost-record')).toBe(
      `at://${ready.accounts[0]?.did}/place.sitehost.fs/hello`,
    )
    expect(await demo.end('SIGTERM')).toBe(0)
  }, 120_000)

  test.skipIf(!hasBrowser)(
    'at a terminal: its sample site opens in a browser, and there is no line for programs',
    async () => {
      await using demo = runAtTerminal(['demo', '--port', '0', '--data', dir])
      await demo.shows('Stop with Ctrl-C.')
      expect(demo.screen()).not.toContain('ready {')
      await using browser = await startBrowser()
      const page = await browser.newPage()
      await page.goto(/The sample site: +(\S+)/.exec(demo.screen())?.[1] ?? '')
      await page.getByRole('heading', { name: 'Hello!' }).waitFor()
      await page.getByRole('link', { name: 'What is in this site' }).click()
      await page.getByRole('heading', { name: 'What is in this site' }).waitFor()
      expect(await demo.end()).toBe(0)
    },
    120_000,
  )
})

test.each(['demo', 'dev'])(
  '%s: a port that is taken is told before the network starts',
  async (command) => {
    await using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const data = join(dir, `taken-${command}`)
    const started = startServiceProcess([command, '--port', String(other.port), '--data', data])
    await expect(started).rejects.toThrow(`port ${other.port} is in use`)
    expect(await exists(data)).toBe(false)
  },
)

test('demo: says why its sample site is not there, and ends', async () => {
  const args = ['demo', '--port', '0', '--data', join(dir, 'no-sample')]
  const started = startServiceProcess(args, { MAX_FILE_BYTES: '1' })
  await expect(started).rejects.toThrow(
    /exit code 1: .*sitehost: the sample site could not be published: .*larger/s,
  )
}, 120_000)

test.each(['demo', 'dev'])('%s: without the devnet folder, says so', async (command) => {
  const installed = join(dir, `installed-${command}`)
  const { files } = (await Bun.file(join(root, 'package.json')).json()) as { files: string[] }
  for (const part of ['package.json', ...files]) {
    await cp(join(root, part), join(installed, part), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(installed, 'node_modules'))
  const child = Bun.spawn({
    cmd: [join(installed, 'bin/sitehost'), command, '--data', join(installed, 'data')],
    stderr: 'pipe',
  })
  expect(await new Response(child.stderr).text()).toBe(
    'sitehost: demo and dev need the devnet folder of the repository, which a production install does not carry\n',
  )
  expect(await child.exited).toBe(1)
})

test('a command that there is not is a mistake: exit status 2, as in the package for site owners', async () => {
  const end = await runCommand(['stats'])
  expect(end).toMatchObject({ code: 2, said: [] })
  expect(end.complaints).toContain("unknown command 'stats'")
})

describe('dev', () => {
  test('is the same, empty, and stops as fast', async () => {
    const wanted = await ownPort()
    const args = ['dev', '--data', join(dir, 'dev')]
    await using dev = await startServiceProcess(args, { PORT: wanted })
    const ready = dev.ready as unknown as Ready
    expect(ready.app).toBe(`http://127.0.0.1:${wanted}`)
    expect(ready.sites).toEqual([])
    expect(ready.accounts).toHaveLength(3)
    expect((await fetch(ready.app)).status).toBe(200)
    const stoppingSince = performance.now()
    expect(await dev.end('SIGTERM')).toBe(0)
    expect(performance.now() - stoppingSince).toBeLessThan(5_000)
    for (const url of [ready.app, ready.pds]) await expect(fetch(url)).rejects.toThrow()
  }, 120_000)
})

describe('serve', () => {
  test('says which setting cannot be used', async () => {
    const started = startServiceProcess(['serve', '--base-url', 'https://sitehost.example'])
    await expect(started).rejects.toThrow(/BASE_URL/)
  })

  test.each<[Record<string, string>, number, string]>([
    [{ DATA_DIR: '/proc/x' }, 1, '/proc/x cannot be made; choose another folder with --data'],
    [
      { HOST: 'nonsense', PORT: '3000' },
      1,
      'HOST: nonsense leads to no address of this machine, or port 3000 is not free there',
    ],
    [
      { ASK_LISTEN: '192.0.2.1:3001' },
      1,
      'ASK_LISTEN: 192.0.2.1 is not an address of this machine (EADDRNOTAVAIL)',
    ],
    [{ LOGO_FILE: '/proc/x.svg' }, 1, 'LOGO_FILE: /proc/x.svg cannot be read (ENOENT)'],
    [{ BASE_URL: 'here' }, 78, 'BASE_URL: an address that begins with https:// (or http://)'],
  ])('%j: ends with %d, and says why in one line', async (environment, code, sentence) => {
    const settings = { ...nowhere, PORT: '0', DATA_DIR: join(dir, 'unstarted'), ...environment }
    await expect(startServiceProcess(['serve'], settings)).rejects.toThrow(
      new RegExp(`exit code ${code}: (?:\\{.*\\}\n)*sitehost: ${RegExp.escape(sentence)}\n?$`),
    )
  })

  test('with EDGE_PROCESSES it ends as its process does that could not start', async () => {
    const own = {
      DATA_DIR: join(dir, 'unstarted-core'),
      EDGE_PROCESSES: '2',
      LOGO_FILE: 'logo.gif',
    }
    const started = startServiceProcess(['serve'], { ...nowhere, PORT: await ownPort(), ...own })
    await expect(started).rejects.toThrow(/exit code 78: .*LOGO_FILE/s)
  })

  test('PORT=0 takes a free port, and knows its own address', async () => {
    const args = ['serve', '--data', join(dir, 'any-port')]
    await using service = await startServiceProcess(args, { ...nowhere, PORT: '0' })
    const { app, port } = service.ready
    expect(port).not.toBe(0)
    expect(app).toBe(`http://127.0.0.1:${port}`)
    expect((await fetch(app)).status).toBe(200)
  })

  test('is not ready without the folder of its blobs', async () => {
    const data = join(dir, 'no-blobs')
    await using service = await startServiceProcess(
      ['serve', '--port', '0', '--data', data],
      nowhere,
    )
    const readiness = () => fetch(`${service.ready.app}/readyz`)
    const statusOf = async () => (await readiness()).status
    expect(await statusOf()).toBe(200)
    const blobs = join(data, 'blobs')
    await rename(blobs, join(data, 'away'))
    expect(await statusOf()).toBe(503)
    const problem = 'The folder of the blobs is not there: is its disk mounted?'
    expect(await (await readiness()).text()).toBe(`not ready\n${problem}`)
    // What a mount leaves behind.
    await mkdir(blobs)
    expect(await statusOf()).toBe(503)
    await rmdir(blobs)
    await rename(join(data, 'away'), blobs)
    expect(await statusOf()).toBe(200)
  })

  test('is alone on its data folder, until it ends in whatever way', async () => {
    const data = join(dir, 'alone')
    const start = () => startServiceProcess(['serve', '--port', '0', '--data', data], nowhere)
    const upload = join(data, 'spool', crypto.randomUUID())
    {
      await using first = await start()
      await Bun.write(join(upload, 'file'), 'of the first')
      await expect(start()).rejects.toThrow(
        `exit code 1: sitehost: another Sitehost runs on this data folder (process ${first.pid}): ` +
          'stop it, or choose another folder with --data',
      )
      expect(await exists(upload)).toBe(true)
      await first.end('SIGKILL')
    }
    await using next = await start()
    expect(await exists(upload)).toBe(false)
    expect(await next.end('SIGTERM')).toBe(0)
    expect(await exists(join(data, 'pid'))).toBe(false)
  }, 120_000)

  test('stops in time although an account’s server does not answer', async () => {
    await using network = await startSharedDevnet({ dir: join(dir, 'silent'), canFail: true })
    const args = ['serve', '--port', '0', '--data', join(dir, 'waiting')]
    await using service = await startServiceProcess(args, devSettings(network))
    const alice = new AppClient(service.ready.app)
    await alice.signIn('alice.test', 'hunter2pass')
    network.setFaults({ 'com.atproto.repo.applyWrites': { hold: true } })
    const answer = await alice.upload('site', [{ path: 'index.html', body: new Blob(['hello']) }])
    const { jobId } = (await answer.json()) as { jobId: string }
    await phaseOf(alice, jobId, 'creating_manifest')

    const stoppingSince = performance.now()
    expect(await service.end('SIGTERM')).toBe(0)
    expect(performance.now() - stoppingSince).toBeLessThan(5_000)
  }, 120_000)

  test('says so when its port is taken', async () => {
    using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const args = ['serve', '--port', String(taken.port), '--data', join(dir, 'serve')]
    await expect(startServiceProcess(args)).rejects.toThrow(`port ${taken.port} is in use`)
  })

  test('says so when another of its kind has the port', async () => {
    await using other = await startServiceProcess(
      ['serve', '--port', '0', '--data', join(dir, 'other')],
      nowhere,
    )
    const { port } = new URL(other.ready.app)
    const args = ['serve', '--port', port, '--data', join(dir, 'serve')]
    await expect(startServiceProcess(args, nowhere)).rejects.toThrow(`port ${port} is in use`)
  })
})

/** Resolves when the job is in this phase. */
async function phaseOf(client: AppClient, jobId: string, phase: string): Promise<void> {
  const { body } = await client.fetch(`/sitehost/upload-progress/${jobId}`)
  let text = ''
  for await (const chunk of body ?? []) {
    text += new TextDecoder().decode(chunk)
    if (text.includes(`"phase":"${phase}"`)) return
  }
  throw new Error(`never ${phase}: ${text}`)
}
