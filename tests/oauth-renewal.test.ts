import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Did } from '#site/site-address.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { type OwnDatabase, onEachDatabase } from '#tests/support/database/databases.ts'
import { expireTokens } from '#tests/support/database/stored-sessions.ts'
import type { OAuthCallsOptions } from '#tests/support/publishing/oauth-calls.ts'
import {
  type OAuthInstanceOptions,
  openOAuthInstance,
} from '#tests/support/publishing/oauth-instance.ts'
import {
  endSessionsOnServer,
  invalidateAccessTokens,
  readPdsTokens,
} from '#tests/support/publishing/pds-tokens.ts'
import { consentOverHttp } from '../devnet/consent.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'

// Two processes on one database, one account, a real account server: it ends a session whose refresh token is
// used twice.

const callsEach = 10

let dir: string
let network: Network
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-renewal-'))
  network = await startSharedDevnet({ dir })
}, 300_000)
afterAll(async () => {
  await network?.stop()
  await rm(dir, { recursive: true, force: true })
})

await onEachDatabase('twenty calls at once of two processes', (make) => {
  let database: OwnDatabase
  let processes: CallingProcess[]
  let options: OAuthInstanceOptions
  let did: Did

  beforeAll(async () => {
    database = await make()
    const secret = 'a secret of thirty-two characters'
    options = { database: database.options, secret, plc: network.plc, pds: network.pds }
    await using opened = openDatabase(database.options)
    await migrate(opened)
    did = await signIn(options)
    processes = [startCalling({ ...options, did }), startCalling({ ...options, did })]
    for (const { line } of processes) expect(await line()).toBe('ready')
  }, 120_000)
  afterAll(async () => {
    await Promise.all(processes.map(({ stop }) => stop()))
    await database[Symbol.asyncDispose]()
  })

  const refreshes = () => readPdsTokens(dir).at(-1)?.refreshes
  const callAtOnce = async () => (await Promise.all(processes.map(({ call }) => call()))).flat()
  const allSucceed = Array(2 * callsEach).fill(200)

  test('renew stale tokens once, and all succeed', async () => {
    expect(refreshes()).toBe(0)
    for (let round = 1; round <= 5; round++) {
      await expireTokens(did, options)
      expect(await callAtOnce()).toEqual(allSucceed)
      expect(refreshes()).toBe(round)
    }
  })

  test('renew tokens that the server does not take any more once, and all succeed', async () => {
    const before = refreshes() ?? Number.NaN
    for (let round = 1; round <= 5; round++) {
      invalidateAccessTokens(dir)
      expect(await callAtOnce()).toEqual(allSucceed)
      expect(refreshes()).toBe(before + round)
    }
  })

  test('renew nothing while the tokens are good', async () => {
    const before = refreshes()
    expect(await callAtOnce()).toEqual(allSucceed)
    expect(refreshes()).toBe(before)
  })

  test('all learn that the session has ended, and there is none any more', async () => {
    endSessionsOnServer(dir)
    const answers = await callAtOnce()
    expect(new Set(answers)).toEqual(new Set([`SessionEndedError: no usable session; did=${did}`]))
    await using instance = await openOAuthInstance(options)
    expect(await instance.oauth.has(did)).toBe(false)
  })
})

async function signIn(options: OAuthInstanceOptions): Promise<Did> {
  await using instance = await openOAuthInstance(options)
  const { url, nonce } = await instance.oauth.begin('alice.test')
  const callback = await consentOverHttp(url, 'alice.test', 'hunter2pass')
  return await instance.oauth.complete(callback.searchParams, nonce, async (did) => did)
}

interface CallingProcess {
  line(): Promise<string>
  /** What each call was answered with: a status, or the error. */
  call(): Promise<(number | string)[]>
  stop(): Promise<unknown>
}

function startCalling(options: Omit<OAuthCallsOptions, 'calls'>): CallingProcess {
  const child = Bun.spawn({
    cmd: [
      process.execPath,
      join(import.meta.dir, 'support/publishing/oauth-calls.ts'),
      JSON.stringify({ ...options, calls: callsEach } satisfies OAuthCallsOptions),
    ],
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = linesOf(child.stdout)
  const line = async () => String((await lines.next()).value)
  return {
    line,
    async call() {
      child.stdin.write('go\n')
      await child.stdin.flush()
      return JSON.parse(await line())
    },
    stop() {
      child.kill('SIGKILL')
      return child.exited
    },
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = pieces.pop() ?? ''
    yield* pieces
  }
}
