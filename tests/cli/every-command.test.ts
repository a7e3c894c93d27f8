import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { createSession, putRecord } from '#tests/support/accounts.ts'
import { runAtTerminal } from '#tests/support/processes/at-terminal.ts'
import { runInProcess, siteCommandsByName } from '#tests/support/processes/site-commands.ts'
import { startWorld, type World } from '#tests/support/world.ts'
import { consentOverHttp } from '../../devnet/consent.ts'
import results from '../../docs/command-line-results.json'

const commands = siteCommandsByName()
const root = join(import.meta.dir, '../..')

/** The schema of a command's result, with no other fields than those it lists. */
function schemaOf(name: string): z.ZodType {
  return z.fromJSONSchema({ $defs: sealed(results.$defs), $ref: `#/$defs/${name}` } as never)
}

function sealed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(sealed)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) => [key, sealed(value)])
  const isOpen = !('properties' in schema) || typeof schema.properties !== 'object'
  return { ...Object.fromEntries(entries), ...(!isOpen && { additionalProperties: false }) }
}

describe('with --json, at a real account server and a Sitehost', () => {
  let dir: string
  let world: World
  let url = ''
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'every-command-'))
    world = await startWorld({ environment: { ALSO_SERVE: 'place.wisp' } })
    await world.signedIn('alice.test')
    const account = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
    await putRecord(account, 'place.wisp.v2.wh', 'theirs', {
      scope: { aturi: `at://${account.did}`, backlinks: true },
      url: 'http://127.0.0.1:1/theirs',
      createdAt: '2026-01-02T03:04:05.678Z',
    })
    await Bun.write(join(dir, 'site/index.html'), 'home')
    await Bun.write(join(dir, 'site/_redirects'), '/old /\n')
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })

  const environment = () => ({
    PATH: process.env['PATH'] ?? '',
    XDG_DATA_HOME: join(dir, 'data'),
    PLC_URL: world.network.plc,
    HANDLE_RESOLVER_URL: world.network.pds,
    ALLOW_PRIVATE_HOSTS: '1',
    SITEHOST_URL: world.app,
    EDITOR: 'sed -i s/true/false/',
  })
  const sitesAt = () => `http://localhost:${new URL(world.app).port}`

  /** The result of a command, as its schema has it. */
  async function result(name: string, args: readonly string[], code = 0, within = unchanged) {
    const all = [...name.split(' '), ...args, '--json']
    const end = await runInProcess(all, {
      environment: environment(),
      onComplaints: consent,
      within,
    })
    expect({ code: end.code, complaints: end.complaints, lines: end.said.length }).toMatchObject({
      ...{ code, lines: 1, complaints: expect.not.stringContaining('\x1b') },
    })
    const value = JSON.parse(end.said.join())
    expect(schemaOf(name).safeParse(value).error?.issues).toBeUndefined()
    return value
  }
  const unchanged: NonNullable<Parameters<typeof runInProcess>[1]['within']> = (context) => context

  let isAllowed = false
  function consent(text: string): void {
    const address = text.match(/^http\S+(?=\n)/m)?.[0]
    if (isAllowed || address === undefined) return
    isAllowed = true
    void consentOverHttp(address, 'alice.test', 'hunter2pass').then((back) => fetch(back))
  }

  const blog = ['--site', 'blog']
  const folder = () => join(dir, 'site')
  const listed = async (name: string, key: string, last: string, args = blog) => {
    const rows = (await result(name, args))[key] as Record<string, string>[]
    return [rows[0]?.[last] ?? '']
  }

  /** In this order. The exit status is 0 where no other is named. */
  const calls: Readonly<
    Record<string, { args: () => readonly string[] | Promise<readonly string[]>; code?: number }>
  > = {
    login: { args: () => ['alice.test', '--no-browser'] },
    whoami: { args: () => [] },
    deploy: { args: () => [folder(), ...blog, '--wait', sitesAt()] },
    sites: { args: () => [] },
    'settings set': { args: () => ['cleanUrls=true', ...blog] },
    'settings get': { args: () => blog },
    'settings edit': { args: () => blog },
    open: { args: () => ['blog'] },
    pull: { args: () => ['blog', join(dir, 'pulled')] },
    verify: { args: () => [url] },
    explain: { args: () => [`${url}old`] },
    diagnose: { args: () => [url] },
    'domains claim': { args: () => ['alices-name'] },
    'domains map': { args: () => ['alices-name', ...blog] },
    'domains add': { args: () => ['www.alice-of-tests.net'] },
    'domains verify': { args: () => ['www.alice-of-tests.net'], code: 1 },
    'domains list': { args: () => [] },
    'domains release': { args: () => ['alices-name'] },
    'publishers add': { args: () => ['alice/site', '--branch', 'main', ...blog] },
    'publishers list': { args: () => blog },
    'publishers remove': {
      args: async () => [...(await listed('publishers list', 'publishers', 'id')), ...blog],
    },
    'tokens create': { args: () => ['forge', '--preview', ...blog] },
    'tokens list': { args: () => blog },
    'tokens revoke': {
      args: async () => [...(await listed('tokens list', 'tokens', 'id')), ...blog],
    },
    'webhooks add': { args: () => ['http://127.0.0.1:1/', '--events', 'site.published', ...blog] },
    'webhooks list': { args: () => [] },
    'webhooks test': { args: () => listed('webhooks list', 'webhooks', 'id', []) },
    'webhooks log': { args: () => listed('webhooks list', 'webhooks', 'id', []) },
    'webhooks remove': { args: () => listed('webhooks list', 'webhooks', 'id', []) },
    'webhooks foreign': { args: () => [] },
    'webhooks bring-over': { args: () => listed('webhooks foreign', 'webhooks', 'key', []) },
    visits: { args: () => ['blog', '--days', '7'] },
    promote: { args: async () => [await preview(), ...blog] },
    rollback: { args: () => ['previous', ...blog] },
    versions: { args: () => ['blog'] },
    forget: { args: () => ['previous', ...blog] },
    logout: { args: () => ['--all'] },
  }
  const preview = async () => {
    await Bun.write(join(folder(), 'index.html'), 'draft')
    await result('deploy', [folder(), ...blog, '--preview=draft'])
    return 'draft'
  }

  test('every command is called, or has no result', () => {
    const withResult = [...commands].flatMap(([name, command]) =>
      command.options.some(({ long }) => long === '--json') ? [name] : [],
    )
    expect(Object.keys(calls).sort()).toEqual(withResult.sort())
    expect([...commands.keys()].filter((name) => !withResult.includes(name))).toEqual([
      'mcp',
      'completion',
    ])
  })

  test.each(Object.entries(calls))(
    '%s prints one object, as its schema says',
    async (name, call) => {
      if (name === 'logout') await others()
      const value = await result(name, await call.args(), call.code)
      if (name === 'deploy') url = value.url
    },
  )

  /** The other forms of results, and exit status 3. */
  async function others(): Promise<void> {
    await result('deploy', [folder(), ...blog, '--dry-run'])
    await result('deploy', [folder(), '--site', 'via', '--via', world.app])
    await result('verify', [url, '--all'])
    const impatient = (context: Parameters<typeof unchanged>[0]) => {
      const changed = { ...context, waitMsMax: 0 }
      return changed
    }
    const wait = ['--wait', 'http://127.0.0.1:1']
    const notLive = (name: string, args: readonly string[]) => result(name, args, 3, impatient)
    expect(await notLive('deploy', [folder(), ...blog, ...wait])).toMatchObject({ url: null })
    await Bun.write(join(folder(), 'index.html'), 'another draft')
    await result('deploy', [folder(), ...blog, '--preview=draft'])
    await notLive('promote', ['draft', ...blog, ...wait])
    await notLive('rollback', ['previous', ...blog, ...wait])
  }
})

describe('where nobody is signed in and no server answers', () => {
  const driver = join(import.meta.dir, 'every-command-driver.ts')
  interface Ended {
    readonly args: readonly string[]
    readonly code: number
    readonly out: string
    readonly err: string
  }

  /** What each call of the driver wrote to one stream. */
  const parts = (text: string) =>
    [...text.matchAll(/<begin (\[.*?\])>([\s\S]*?)<end (\d+)>/g)].map(
      ([, args = '', shown = '', code]) => ({ args: JSON.parse(args), shown, code: Number(code) }),
    )
  const isRun = ({ args }: { args: readonly string[] }) =>
    !args.includes('--help') && !args.includes('--sight')

  test('in a pipe no command asks, and none has colour; mistakes are 2, and help has examples', async () => {
    const child = Bun.spawn([process.execPath, driver], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
      ...({ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const),
    })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    const errors = parts(err)
    const ends = parts(out).map(({ args, code, shown }, at): Ended => {
      return { args, code, out: shown, err: errors[at]?.shown ?? '' }
    })
    expect(new Set(ends.map(({ args }) => args[0]))).toEqual(
      new Set([...commands.keys()].map((name) => name.split(' ')[0] ?? '')),
    )
    expect(out + err).not.toContain('\x1b')
    for (const end of ends) {
      const { args, code } = end
      if (args.includes('--help')) {
        const [name] = args.join(' ').split(' --help')
        expect({ args, code, out: end.out }).toEqual({
          ...{ args, code: 0 },
          out: expect.stringMatching(new RegExp(`Usage: sitehost ${name} [\\s\\S]*Examples?:\\n`)),
        })
      } else if (args.includes('--sight')) {
        expect({ args, code, out: end.out, err: end.err }).toEqual({
          ...{
            args,
            code: 2,
            out: '',
            err: expect.stringMatching(
              new RegExp(
                `unknown option[\\s\\S]*See: sitehost ${args.join(' ').replace(' --sight', '')} --help`,
              ),
            ),
          },
        })
      } else if (args[0] === 'completion') expect(code).toBe(0)
      else
        expect({ args, code: code === 1 || code === 2, said: end.err !== '' }).toEqual({
          ...{ args, code: true, said: true },
        })
    }
  })

  test('at a terminal failures are red, unless NO_COLOR is set', async () => {
    const at = (environment: Record<string, string>, ...args: string[]) =>
      runAtTerminal([driver, ...args], { program: process.execPath, cwd: root, environment })
    await using terminal = at({ HOME: '/nonexistent' })
    await using plain = at({ HOME: '/nonexistent', NO_COLOR: '1' })
    expect([await terminal.exited, await plain.exited]).toEqual([0, 0])
    expect(plain.screen()).not.toContain('\x1b[3')
    const [coloured = [], uncoloured] = [terminal, plain].map((each) =>
      parts(each.screen()).filter(isRun),
    )
    expect(coloured.length).toBe(commands.size - 1)
    expect(uncoloured?.length).toBe(coloured.length)
    for (const { args, shown } of coloured) {
      if (args[0] !== 'completion')
        expect({ args, shown }).toEqual({
          ...{ args, shown: expect.stringContaining('\x1b[31m') },
        })
    }
  })
})
