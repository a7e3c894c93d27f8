import { beforeEach, describe, expect, test } from 'bun:test'
import type { By } from '#admin/action.ts'
import { allowAccount, disallowAccount, invite, withdrawInvitation } from '#admin/invitations.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { listInvitations } from '#store/moderation/invitations.ts'
import { cookieHeader, type TestApi, testApi } from '#tests/support/api.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'

const listed = testApi({ signIn: 'listed' })
const invited = testApi({ signIn: 'invited' })
const by: By = { actor: 'ruth', reason: 'a friend' }
const contextOf = ({ db, wakeUps, now }: TestApi) => ({
  ...{ db, wakeUps, now: () => now },
  log: { debug() {}, info() {}, warn() {}, error() {} },
})

const refused = '/?error=auth_failed&reason=not_allowed'
const over = '/?error=auth_failed&reason=invitation_over'

/** Where the callback leads, and the cookies of the browser then. */
async function signIn(api: TestApi, did = alice, cookie = '') {
  const answer = await api.request(`/api/auth/callback?code=${did}`, {
    headers: { cookie: `oauth=nonce-1; ${cookie}` },
  })
  return {
    location: answer.headers.get('location'),
    cookie: cookieHeader(answer.headers.getSetCookie()),
  }
}
const isSignedIn = async (api: TestApi, cookie: string) =>
  (await api.request('/api/user/info', { headers: { cookie } })).status === 200

describe('SIGN_IN=listed', () => {
  test('an account that is not on the list is refused, and nothing is stored', async () => {
    expect((await signIn(listed())).location).toBe(refused)
    for (const table of ['accounts', 'browserSessions', 'workItems'] as const) {
      expect(await listed().db.selectFrom(table).selectAll().execute()).toEqual([])
    }
  })

  test('one that is on the list signs in, by its DID or its verified handle', async () => {
    for (const account of [alice, 'alice.test']) {
      await allowAccount(account, by, contextOf(listed()))
      const { location, cookie } = await signIn(listed())
      expect(location).toBe('/onboarding')
      expect(await isSignedIn(listed(), cookie)).toBe(true)
      await disallowAccount(account, by, contextOf(listed()))
      expect(await isSignedIn(listed(), cookie)).toBe(false)
    }
  })

  test('sessions of an account that is taken from the list are gone', async () => {
    await allowAccount(alice, by, contextOf(listed()))
    const { cookie } = await signIn(listed())
    await disallowAccount(alice, by, contextOf(listed()))
    expect(await isSignedIn(listed(), cookie)).toBe(false)
    await allowAccount(alice, by, contextOf(listed()))
    expect(await isSignedIn(listed(), cookie)).toBe(false)
  })

  test('a handle that belongs to another account now lets nobody in', async () => {
    await upsertAccount(listed().db, { did: bob, handle: 'bob.test' }, 1)
    await allowAccount('bob.test', by, contextOf(listed()))
    expect((await signIn(listed(), bob)).location).toBe(refused)
  })

  test('an invitation lets nobody in', async () => {
    const { code = '' } = (await invite(1, by, contextOf(listed()))) ?? {}
    expect((await signIn(listed(), alice, `invitation=${code}`)).location).toBe(refused)
  })
})

describe('SIGN_IN=invited', () => {
  let code: string
  let id: string
  beforeEach(async () => {
    const made = await invite(7, by, contextOf(invited()))
    code = made?.code ?? ''
    id = made?.id ?? ''
  })
  const open = async (given = code) => {
    const answer = await invited().request(`/invitation/${given}`)
    const [cookie = ''] = answer.headers.getSetCookie()
    return { location: answer.headers.get('location'), cookie }
  }

  test('the browser that opens it signs one account in', async () => {
    const { location, cookie } = await open()
    expect(location).toBe('/?news=invited')
    expect(cookie).toMatch(/^invitation=[\w-]{27}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400$/)
    const entered = await signIn(invited(), alice, cookieHeader([cookie]))
    expect([entered.location, await isSignedIn(invited(), entered.cookie)]).toEqual([
      '/onboarding',
      true,
    ])
    expect(await listInvitations(invited().db, { limit: 9 })).toMatchObject([{ usedBy: alice }])
    expect((await signIn(invited(), bob, cookieHeader([cookie]))).location).toBe(refused)
    expect((await open()).location).toBe(over)
  })

  test('the account signs in again without one', async () => {
    await signIn(invited(), alice, `invitation=${code}`)
    expect((await signIn(invited(), alice)).location).toBe('/onboarding')
  })

  test('one of two who use it at once gets in', async () => {
    const both = await Promise.all(
      [alice, bob].map((did) => signIn(invited(), did, `invitation=${code}`)),
    )
    expect(both.map(({ location }) => location).toSorted()).toEqual([refused, '/onboarding'])
  })

  test('one that is over, revoked or made up lets nobody in', async () => {
    expect((await signIn(invited(), alice, `invitation=${'x'.repeat(27)}`)).location).toBe(refused)
    expect((await open('x')).location).toBe(over)
    await withdrawInvitation(id, by, contextOf(invited()))
    expect((await open()).location).toBe(over)
    expect((await signIn(invited(), alice, `invitation=${code}`)).location).toBe(refused)
    const late = await invite(1, by, contextOf(invited()))
    invited().clockAheadMs = 24 * 60 * 60 * 1000
    expect((await open(late?.code)).location).toBe(over)
    expect((await signIn(invited(), alice, `invitation=${late?.code}`)).location).toBe(refused)
  })

  test('its code is stored nowhere', async () => {
    const { db } = invited()
    const rows = [
      await db.selectFrom('invitations').selectAll().execute(),
      await db.selectFrom('auditEntries').selectAll().execute(),
    ]
    expect(JSON.stringify(rows)).not.toContain(code)
  })

  test('guessing is limited', async () => {
    const statuses = new Set<string | null>()
    for (let n = 0; n < 121; n++) {
      const headers = { accept: 'text/html' }
      const answer = await invited().request(`/invitation/${n}`, { headers })
      statuses.add(answer.headers.get('location'))
    }
    expect([...statuses]).toEqual([over, '/?error=auth_failed&reason=too_many'])
  })
})
