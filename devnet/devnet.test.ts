import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  createAccount,
  createSession,
  getRecord,
  putRecord,
  uploadBlob,
} from '../tests/support/accounts.ts'
import { DevnetStartError } from './servers.ts'
import { type Devnet, startDevnet } from './start.ts'

/** A first run installs devnet's packages; every start is a Node process with two servers. */
const INSTALL_DEADLINE_MS = 300_000
const START_DEADLINE_MS = 150_000

/** `serve.mjs` allows itself 1.5 s, `start.ts` kills it after 5. */
const END_DEADLINE_MS = 4_000

let dir: string
let devnet: Devnet

beforeAll(async () => {
  // One level down: the first start makes the folder.
  dir = join(await mkdtemp(join(tmpdir(), 'devnet-')), 'data')
  devnet = await startDevnet({ dir, pdsEnv: { blobUploadLimit: 1000 }, logFile: 'servers.log' })
}, INSTALL_DEADLINE_MS)

afterAll(async () => {
  await devnet.stop()
  await rm(dirname(dir), { recursive: true })
})

describe('a first start', () => {
  test('seeds three accounts that can sign in', async () => {
    expect(devnet.accounts.map((account) => account.handle)).toEqual([
      'alice.test',
      'bob.test',
      'carol.test',
    ])
    for (const { handle, did, password } of devnet.accounts) {
      expect(await createSession(devnet.pds, handle, password)).toMatchObject({ did, handle })
    }
  })

  test('puts every DID into the PLC directory, with the PDS as its server', async () => {
    for (const { handle, did } of devnet.accounts) {
      expect(await json(`${devnet.plc}/${did}`)).toMatchObject({
        id: did,
        alsoKnownAs: [`at://${handle}`],
        service: [{ id: '#atproto_pds', serviceEndpoint: devnet.pds }],
      })
    }
  })

  test('resolves .test handles, and says so when there is no such account', async () => {
    const resolve = `${devnet.pds}/xrpc/com.atproto.identity.resolveHandle?handle=`
    const alice = devnet.accounts[0]
    expect(await json(`${resolve}alice.test`)).toEqual({ did: alice?.did })
    expect((await fetch(`${resolve}nobody.test`)).status).toBe(400)
  })

  test('listens on 127.0.0.1 and on no other address', async () => {
    for (const url of [devnet.pds, devnet.plc]) {
      const { port } = new URL(url)
      expect(await accepts('127.0.0.1', port)).toBe(true)
      // A server on all interfaces would answer on these as well.
      expect(await accepts('127.0.0.2', port)).toBe(false)
      expect(await accepts('[::1]', port)).toBe(false)
    }
  })

  test('names its address as the OAuth issuer', async () => {
    const metadata = await json(`${devnet.pds}/.well-known/oauth-authorization-server`)
    expect(metadata).toMatchObject({ issuer: devnet.pds })
  })

  test('hands pdsEnv to the PDS', async () => {
    const account = await createAccount(devnet.pds, 'limits.test')
    expect(await uploadBlob(account, 'x'.repeat(1000))).toMatchObject({ size: 1000 })
    await expect(uploadBlob(account, 'x'.repeat(1001))).rejects.toMatchObject({ status: 413 })
  })

  test('logs into the file it was given', async () => {
    expect((await stat(join(dir, 'servers.log'))).size).toBeGreaterThan(0)
  })

  test('lets nobody else read its secrets', async () => {
    expect((await stat(join(dir, 'network.json'))).mode & 0o777).toBe(0o600)
  })
})

describe('a later start in the same folder', () => {
  const collection = 'test.devnet.note'

  test(
    'has the ports, secrets, accounts and records of the first',
    async () => {
      const before = devnet
      const { handle, password } = seeded(before, 'alice.test')
      const alice = await createSession(before.pds, handle, password)
      await putRecord(alice, collection, 'kept', { text: 'hello' })

      await before.stop()
      expect(await accepts('127.0.0.1', new URL(before.pds).port)).toBe(false)
      devnet = await startDevnet({ dir })

      const { pds, plc, adminPassword, accounts } = before
      expect(devnet).toMatchObject({ pds, plc, adminPassword, accounts })
      expect(await getRecord(alice, collection, 'kept')).toMatchObject({ text: 'hello' })
      expect(await json(`${devnet.plc}/${alice.did}`)).toMatchObject({ id: alice.did })
    },
    START_DEADLINE_MS,
  )

  test(
    'has them after SIGKILL, too',
    async () => {
      const { handle, password } = seeded(devnet, 'bob.test')
      const bob = await createSession(devnet.pds, handle, password)
      await putRecord(bob, collection, 'kept', { text: 'still here' })

      devnet.kill()
      await devnet.exited
      devnet = await startDevnet({ dir })

      expect(await getRecord(bob, collection, 'kept')).toMatchObject({ text: 'still here' })
    },
    START_DEADLINE_MS,
  )

  test(
    'adds the accounts that were not there',
    async () => {
      const known = devnet.accounts
      await devnet.stop()
      devnet = await startDevnet({
        dir,
        accounts: [{ handle: 'dave.test', password: 'a-new-one' }],
      })

      expect(devnet.accounts.slice(0, -1)).toEqual(known)
      const { did } = seeded(devnet, 'dave.test')
      expect(await createSession(devnet.pds, 'dave.test', 'a-new-one')).toMatchObject({ did })
    },
    START_DEADLINE_MS,
  )

  test(
    'refuses to move to another port',
    async () => {
      await devnet.stop()
      const { port } = new URL(devnet.pds)
      const error = await startDevnet({ dir, pdsPort: Number(port) + 1 }).catch(String)
      expect(error).toContain(`PDS has port ${port} and cannot move to ${Number(port) + 1}`)
      devnet = await startDevnet({ dir, pdsPort: Number(port) })
    },
    START_DEADLINE_MS,
  )

  test(
    'says why it cannot start, here because it runs already',
    async () => {
      const error = await startDevnet({ dir }).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(DevnetStartError)
      expect((error as DevnetStartError).stderr).toContain('EADDRINUSE')
    },
    START_DEADLINE_MS,
  )
})

describe('the end', () => {
  test(
    'does not wait for someone who follows the firehose',
    async () => {
      const url = `${devnet.pds.replace('http:', 'ws:')}/xrpc/com.atproto.sync.subscribeRepos`
      const firehose = new WebSocket(url)
      await event(firehose, 'open')
      const closed = event(firehose, 'close')

      const startedAt = performance.now()
      await devnet.stop()
      expect(performance.now() - startedAt).toBeLessThan(END_DEADLINE_MS)
      await closed
      devnet = await startDevnet({ dir })
    },
    START_DEADLINE_MS,
  )

  test(
    'comes by itself when the parent is killed',
    async () => {
      await devnet.stop()
      const parent = Bun.spawn({
        cmd: [
          process.execPath,
          '--eval',
          `const { startDevnet } = await import(${JSON.stringify(join(import.meta.dir, 'start.ts'))})
         const { pid, pds, plc } = await startDevnet({ dir: ${JSON.stringify(dir)} })
         console.log(JSON.stringify({ pid, pds, plc }))`,
        ],
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const { pid, pds, plc } = JSON.parse(await firstLine(parent.stdout)) as Devnet
      expect(isRunning(pid)).toBe(true)

      parent.kill('SIGKILL')
      await parent.exited

      await eventually(() => !isRunning(pid), END_DEADLINE_MS)
      expect(await accepts('127.0.0.1', new URL(pds).port)).toBe(false)
      expect(await accepts('127.0.0.1', new URL(plc).port)).toBe(false)
      devnet = await startDevnet({ dir })
    },
    START_DEADLINE_MS,
  )

  test(
    'does not come when a test times out, for which Bun kills the children of the test process',
    async () => {
      await devnet.stop()
      const file = join(dirname(dir), 'times-out.test.ts')
      await Bun.write(file, testThatTimesOut(dir))
      const child = Bun.spawn({
        cmd: [process.execPath, 'test', file],
        stdout: 'ignore',
        stderr: 'pipe',
      })
      const report = await new Response(child.stderr).text()
      expect(report).toContain('(fail) times out')
      expect(report).toContain('(pass) the network still answers')
      devnet = await startDevnet({ dir })
    },
    START_DEADLINE_MS,
  )

  test('stopping twice is harmless', async () => {
    await devnet.stop()
    await devnet.stop()
  })
})

const testThatTimesOut = (folder: string): string => `
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startDevnet } from ${JSON.stringify(join(import.meta.dir, 'start.ts'))}
let devnet
beforeAll(async () => {
  devnet = await startDevnet({ dir: ${JSON.stringify(folder)} })
}, ${START_DEADLINE_MS})
afterAll(() => devnet.stop(), ${START_DEADLINE_MS})
test('times out', () => new Promise(() => {}), 1)
test('the network still answers', async () => {
  expect((await fetch(devnet.pds + '/xrpc/_health')).status).toBe(200)
}, ${START_DEADLINE_MS})
`

function seeded({ accounts }: Devnet, handle: string) {
  const account = accounts.find((each) => each.handle === handle)
  if (!account) throw new Error(`no account ${handle}`)
  return account
}

async function json(url: string): Promise<unknown> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return await response.json()
}

/** Whether someone listens there. */
async function accepts(host: string, port: string): Promise<boolean> {
  try {
    await fetch(`http://${host}:${port}/`)
    return true
  } catch {
    return false
  }
}

async function event(target: EventTarget, name: string): Promise<void> {
  await new Promise((resolve) => target.addEventListener(name, resolve, { once: true }))
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('\n')) break
  }
  return text
}

/** On Linux. An ended process that nobody waits for stays in the table as a zombie: it does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** Looks again and again: an orphan's end is no event that its grandparent gets. */
async function eventually(isTrue: () => boolean, deadlineMs: number): Promise<void> {
  const endsAt = performance.now() + deadlineMs
  while (!isTrue()) {
    if (performance.now() > endsAt) throw new Error(`not true after ${deadlineMs} ms`)
    await Bun.sleep(20)
  }
}
