import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAtTerminal } from '#tests/support/processes/at-terminal.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { cookieHeader } from './support/api.ts'

/** A real network that is not there. */
const nowhere = { FIREHOSE_URL: 'http://127.0.0.1:9', PLC_URL: 'http://127.0.0.1:9' }
const password = 'correct horse battery'

let data: string
let service: ServiceProcess
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'sitehost-admin-'))
  service = await startServiceProcess(['serve', '--port', '0', '--data', data], nowhere)
}, 120_000)
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await rm(data, { recursive: true, force: true })
})

const admin = (args: readonly string[], input?: string) =>
  runCommand(['admin', ...args, '--data', data], { USER: 'somebody-else' }, input)

async function login(username: string, given = password): Promise<[number, string]> {
  const response = await fetch(`${service.ready.app}/api/admin/login`, {
    method: 'POST',
    body: JSON.stringify({ username, password: given }),
  })
  return [response.status, cookieHeader(response.headers.getSetCookie())]
}

async function status(cookie: string): Promise<unknown> {
  const response = await fetch(`${service.ready.app}/api/admin/status`, { headers: { cookie } })
  return await response.json()
}

const outputOf = async (...command: string[]): Promise<string> =>
  (await new Response(Bun.spawn(command).stdout).text()).trim()

describe('sitehost admin, beside the service', () => {
  test('nobody is there at first, and no password works', async () => {
    expect(await admin(['list'])).toMatchObject({
      ...{ code: 0, said: [] },
      complaints: expect.stringMatching(/^no administrators yet: sitehost admin add <name>$/m),
    })
    expect((await login('admin', 'admin'))[0]).toBe(401)
  })

  test('add: a password from standard input, and a session with it', async () => {
    const added = await admin(['add', 'ruth'], `${password}\nmore\n`)
    // Where the service is that runs, whatever settings the command has.
    const page = `${service.ready.app}/admin`
    const said = [`ruth is an administrator now, and signs in at ${page}`]
    expect(added).toMatchObject({ code: 0, said })
    const [code, cookie] = await login('ruth')
    expect([code, await status(cookie)]).toEqual([200, { authenticated: true, username: 'ruth' }])
    expect((await admin(['list'])).said).toEqual([expect.stringMatching(/^ruth {2}\d{4}-/)])
  }, 120_000)

  const refused: [string, string, string][] = [
    ['ruth', password, 'there is an administrator ruth already'],
    ['ada', 'eleven char', 'A password has 12 characters or more.'],
    ['ada', '', 'A password has 12 characters or more.'],
    ['ada', 'Ada and no more', 'A password does not contain the name.'],
    ['Ada', password, '"Ada" cannot be a name'],
  ]
  for (const [name, given, complaint] of refused) {
    test(`add ${name} with ${JSON.stringify(given)}: ${complaint}`, async () => {
      const { code, complaints } = await admin(['add', name], `${given}\n`)
      expect([code, complaints]).toEqual([1, expect.stringContaining(complaint)])
    }, 120_000)
  }

  test('passwd: the new password works, the old one does not, and all sessions end', async () => {
    const another = 'another correct horse'
    await admin(['add', 'kim'], password)
    const [, cookie] = await login('kim')
    expect(await admin(['passwd', 'kim'], 'too short')).toMatchObject({ code: 1 })
    expect(await status(cookie)).toMatchObject({ authenticated: true })
    expect(await admin(['passwd', 'kim'], another)).toMatchObject({
      code: 0,
      said: ['kim has another password now, and is signed out everywhere'],
    })
    expect(await status(cookie)).toEqual({ authenticated: false })
    expect((await login('kim'))[0]).toBe(401)
    expect((await login('kim', another))[0]).toBe(200)
    expect(await admin(['passwd', 'nobody'], another)).toMatchObject({
      ...{ code: 1, complaints: expect.stringContaining('there is no administrator "nobody"') },
    })
  }, 120_000)

  test('remove: signed out at once, and no way in', async () => {
    await admin(['add', 'zoe'], password)
    const [, cookie] = await login('zoe')
    const removed = await admin(['remove', 'zoe'])
    expect(removed.said).toEqual(['zoe is no longer an administrator'])
    expect(await status(cookie)).toEqual({ authenticated: false })
    expect((await login('zoe'))[0]).toBe(401)
    expect((await admin(['remove', 'zoe'])).complaints).toContain('there is no administrator "zoe"')
  }, 120_000)

  test('what a command did is in the audit, what it refused is not', async () => {
    const acted: [string[], string?][] = [
      [['add', 'max'], password],
      [['add', 'max'], password],
      [['passwd', 'max'], 'another correct horse'],
      [['passwd', 'max'], 'short'],
      [['remove', 'max']],
      [['remove', 'max']],
    ]
    for (const [args, input] of acted) await admin(args, input)
    const { said } = await runCommand(['audit', '--search', 'max', '--data', data])
    const uid = await outputOf('id', '-u')
    const by = `cli:${await outputOf('id', '-un')} (${uid})`
    expect(said.map((line) => line.split('  ').slice(1, 4))).toEqual([
      [by, 'admin.remove', 'max'],
      [by, 'admin.change-password', 'max'],
      [by, 'admin.add', 'max'],
    ])
  }, 120_000)

  test('a folder without a service: said, not made', async () => {
    const { code, complaints } = await runCommand(['admin', 'list', '--data', `${data}-mistyped`])
    expect([code, complaints]).toEqual([1, expect.stringContaining('there is no Sitehost data')])
  })
})

describe('at a terminal', () => {
  test('the password is asked for twice, and is not shown', async () => {
    await using terminal = runAtTerminal(['admin', 'add', 'ada', '--data', data])
    await terminal.shows('Password')
    terminal.type('short\r')
    await terminal.shows('12 characters or more')
    terminal.type(`${'\x7f'.repeat(5)}${password}\r`)
    await terminal.shows('Repeat the password')
    terminal.type('another\r')
    await terminal.shows('The passwords differ')
    terminal.type(`${'\x7f'.repeat(7)}${password}\r`)
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toContain('ada is an administrator now')
    for (const secret of [password, 'correct', 'short', 'another\r']) {
      expect(terminal.screen()).not.toContain(secret)
    }
    expect((await login('ada'))[0]).toBe(200)
  }, 120_000)

  test('whoever gives up has changed nothing', async () => {
    await using terminal = runAtTerminal(['admin', 'add', 'eve', '--data', data])
    await terminal.shows('Password')
    terminal.type('\x03')
    expect(await terminal.exited).toBe(1)
    expect((await admin(['list'])).said.join()).not.toContain('eve')
  }, 120_000)
})

test('no password is in the folder, nor in what the service said', async () => {
  const files = await readdir(data, { recursive: true, withFileTypes: true })
  for (const file of files.filter((entry) => entry.isFile())) {
    const text = await Bun.file(join(file.parentPath, file.name)).text()
    expect([file.name, text.includes(password)]).toEqual([file.name, false])
  }
  expect(service.output()).not.toContain(password)
})
