import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { endSessionsOnServer, readPdsTokens } from '#tests/support/publishing/pds-tokens.ts'
import { changePassword, deactivate, takeDown } from './support/account-admin.ts'
import { createSession, type PdsAccount } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// What an owner, or their server, can do against somebody who has copied the cookies of their browser.

const password = 'hunter2pass'

let world: World
beforeAll(async () => {
  world = await startWorld({ canFail: true })
}, 120_000)
afterAll(() => world[Symbol.asyncDispose]())

type Client = Awaited<ReturnType<World['signedIn']>>

const isIn = async (client: Client) =>
  ((await (await client.fetch('/api/auth/status')).json()) as { authenticated: boolean })
    .authenticated

async function claim(client: Client, handle: string): Promise<string> {
  const init = { method: 'POST', body: JSON.stringify({ handle }) }
  const { domain } = (await (await client.fetch('/api/domain/claim', init)).json()) as {
    domain: string
  }
  return domain
}

const release = async (client: Client, domain: string) =>
  (await client.fetch(`/api/domain/sitehost/${domain}`, { method: 'DELETE' })).status
const account = (handle: string): Promise<PdsAccount> =>
  createSession(world.network.pds, handle, password)

describe('a stolen session', () => {
  test('ends when its owner has ended the grant at their server', async () => {
    const stolen = await world.signedIn('alice.test')
    const domain = await claim(stolen, 'alices-name')
    endSessionsOnServer(world.networkDir)
    // The answer of the sign-in counts for a minute: forgotten with the process.
    await world.restart()
    expect(await release(stolen, domain)).toBe(401)
    expect((await stolen.fetch('/api/user/export')).status).toBe(401)
    expect(await isIn(stolen)).toBe(false)
    const back = await world.signedIn('alice.test')
    expect(await release(back, domain)).toBe(200)
  }, 120_000)

  test('ends when its owner has ended the grant at their server and signs in before anything has found that', async () => {
    const stolen = await world.signedIn('alice.test')
    endSessionsOnServer(world.networkDir)
    const owner = await world.signedIn('alice.test')
    expect([await isIn(stolen), await isIn(owner)]).toEqual([false, true])
    // While the grant lives, browsers are signed in side by side.
    const other = await world.signedIn('alice.test')
    expect([await isIn(owner), await isIn(other)]).toEqual([true, true])
  }, 60_000)

  test('ends with whatever first finds that the grant has ended', async () => {
    const [stolen, owner] = [await world.signedIn('alice.test'), await world.signedIn('alice.test')]
    await owner.publish('blog', [{ path: 'index.html', body: new Blob(['blog']) }])
    endSessionsOnServer(world.networkDir)
    const settings = { method: 'POST', body: '{"cleanUrls":true}' }
    expect((await owner.fetch('/api/site/blog/settings', settings)).status).toBe(401)
    expect((await stolen.fetch('/api/user/domains')).status).toBe(401)
  }, 60_000)

  test('survives a new password at the reference server, and ends with all sign-ins', async () => {
    const stolen = await world.signedIn('alice.test')
    const domain = await claim(stolen, 'alices-other-name')
    const { did } = await account('alice.test')
    await changePassword(world.network, did, 'another password')
    await world.restart()
    // That server ends app passwords and its own sessions with the password, and no grant of OAuth.
    expect(readPdsTokens(world.networkDir).map((token) => token.did)).toContain(did)
    expect((await stolen.fetch('/api/user/export')).status).toBe(200)
    await changePassword(world.network, did, password)
    const owner = await world.signedIn('alice.test')
    const everywhere = await owner.fetch('/api/auth/logout-everywhere', { method: 'POST' })
    expect(everywhere.status).toBe(200)
    expect([await isIn(stolen), await isIn(owner)]).toEqual([false, false])
    expect(await release(stolen, domain)).toBe(401)
    expect(readPdsTokens(world.networkDir).map((token) => token.did)).not.toContain(did)
  }, 120_000)

  test('ends within moments when the account is deactivated', async () => {
    const stolen = await world.signedIn('bob.test')
    await deactivate(await account('bob.test'))
    await eventually(async () => expect(await isIn(stolen)).toBe(false))
  }, 120_000)

  test('ends within moments when the account is taken down', async () => {
    const stolen = await world.signedIn('carol.test')
    const { did } = await account('carol.test')
    await takeDown(world.network, did, true)
    await eventually(async () => expect(await isIn(stolen)).toBe(false))
  }, 120_000)
})
