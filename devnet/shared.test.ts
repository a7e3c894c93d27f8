import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSession } from '../tests/support/accounts.ts'
import { startSharedDevnet } from './shared.ts'

const deadlineMs = 150_000
const named = (handle: string) => [{ handle, password: 'hunter2pass' }]

test(
  'networks of one process have nothing in common, and one starts again as it was',
  async () => {
    await using opened = new AsyncDisposableStack()
    const dir = await mkdtemp(join(tmpdir(), 'devnet-shared-'))
    opened.defer(() => rm(dir, { recursive: true }))
    const open = (name: string) =>
      startSharedDevnet({ dir: join(dir, name), accounts: named(`${name}.test`), canFail: true })
    const one = opened.use(await open('one'))
    const two = opened.use(await open('two'))
    const signIn = (network: typeof one, handle: string) =>
      createSession(network.pds, handle, 'hunter2pass')

    await expect(signIn(two, 'one.test')).rejects.toThrow()
    one.setFaults({ 'com.atproto.server.createSession': { status: 503 } })
    await expect(signIn(one, 'one.test')).rejects.toThrow()
    const [{ did } = { did: '' }] = two.accounts
    expect(await signIn(two, 'two.test')).toMatchObject({ did })

    await two.stop()
    for (const url of [two.pds, two.plc]) await expect(fetch(url)).rejects.toThrow()
    const again = opened.use(await open('two'))
    expect({ pds: again.pds, plc: again.plc }).toEqual({ pds: two.pds, plc: two.plc })
    expect(await signIn(again, 'two.test')).toMatchObject({ did })
  },
  deadlineMs,
)
