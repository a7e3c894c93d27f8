import { beforeAll, describe, expect, test } from 'bun:test'
import { signParts } from '#api/session/cookies.ts'
import { declaredRoutes, pathWith } from './declared-routes.ts'
import { answerTo } from './requests.ts'
import type { Stage } from './stage.ts'
import { nobodys } from './victim.ts'

/** The cookies of two sessions, and what can be made of them (security.md H35). */
interface Cookies {
  readonly did: string
  readonly sid: string
  readonly otherDid: string
  readonly otherSid: string
  /** Of alice's session, ended by signing out. */
  readonly ended: string
  /** Parts of alice's session, signed by the service's own keys in the name of another cookie. */
  signedAs(name: string, expiresAt?: number): string
}

const tampered = (did: string, at: number): string =>
  did.slice(0, at) + (did[at] === 'A' ? 'B' : 'A') + did.slice(at + 1)

/** What a request may bring that is no session: header lines, of the cookies of two. */
const noSessions: Readonly<Record<string, (cookies: Cookies) => string[]>> = {
  'no cookie': () => [],
  'an empty cookie': () => ['Cookie: did=; sid='],
  'sid alone': ({ sid }) => [`Cookie: sid=${sid}`],
  'did twice': ({ did, sid }) => [`Cookie: did=${did}; did=${did}; sid=${sid}`],
  'did of two accounts': ({ did, otherDid, sid }) => [
    `Cookie: did=${did}; did=${otherDid}; sid=${sid}`,
  ],
  'did in two lines': ({ did, sid }) => [`Cookie: did=${did}`, `Cookie: did=${did}; sid=${sid}`],
  'sid twice': ({ did, sid }) => [`Cookie: did=${did}; sid=${sid}; sid=${sid}`],
  'did with another account': ({ did, otherDid, sid }) => {
    const rest = did.slice(did.indexOf('|'))
    return [`Cookie: did=${otherDid.slice(0, otherDid.indexOf('|'))}${rest}; sid=${sid}`]
  },
  'did with another signature': ({ did, sid }) => [
    `Cookie: did=${tampered(did, did.length - 2)}; sid=${sid}`,
  ],
  'did with a later end': ({ did, sid }) => {
    const [account, id, , signature] = did.split('|')
    return [`Cookie: did=${[account, id, '9999999999999', signature].join('|')}; sid=${sid}`]
  },
  'did without signature': ({ did, sid }) => [
    `Cookie: did=${did.slice(0, did.lastIndexOf('|'))}; sid=${sid}`,
  ],
  'did that has expired': ({ signedAs, sid }) => [`Cookie: did=${signedAs('did', 1)}; sid=${sid}`],
  'the value of sid as did': ({ sid }) => [`Cookie: did=${sid}; sid=${sid}`],
  'a value signed for admin_session': ({ signedAs, sid }) => [
    `Cookie: did=${signedAs('admin_session')}; sid=${sid}`,
  ],
  'a value signed for sid': ({ signedAs, sid }) => [`Cookie: did=${signedAs('sid')}; sid=${sid}`],
  'another account’s sid': ({ did, otherSid }) => [`Cookie: did=${did}; sid=${otherSid}`],
  'no sid, from a browser': ({ did }) => [`Cookie: did=${did}`, 'Sec-Fetch-Site: same-origin'],
  'a session that has ended': ({ ended }) => [`Cookie: ${ended}`],
}

/** Without a session nothing opens that needs one, however its cookies look; nor does anything break. */
export function describeSessions(stage: () => Stage): void {
  describe('who is not signed in', () => {
    let cookies: Cookies
    beforeAll(async () => {
      cookies = await makeCookies(stage())
    })

    test('is told from who is: these cookies are a session, as a browser sends them and without sid', async () => {
      const { did, sid, signedAs } = cookies
      const real = [`did=${did}; sid=${sid}`, `x=1; sid=${sid}; did=${did}`, `did=${did}`]
      for (const cookie of [...real, `did=${signedAs('did')}; sid=${sid}`]) {
        const answer = await answerTo(stage(), 'GET', '/api/auth/status', [`Cookie: ${cookie}`])
        expect(answer).toEqual([200, { authenticated: true, did: stage().people.alice.did }])
      }
    })

    for (const [what, linesOf] of Object.entries(noSessions)) {
      test(`${what}: refused by every route that needs a session`, async () => {
        const closed = declaredRoutes.filter(({ access }) => access !== 'public')
        expect(closed.length).toBeGreaterThan(15)
        for (const route of closed) {
          const path = pathWith(route, nobodys)
          const answer = await answerTo(stage(), route.method, path, linesOf(cookies), '{}')
          expect([route.name, ...answer]).toEqual([route.name, 401, { error: 'Unauthorized' }])
        }
        const status = await answerTo(stage(), 'GET', '/api/auth/status', linesOf(cookies))
        expect(status).toEqual([200, { authenticated: false }])
      })
    }
  })
}

async function makeCookies(stage: Stage): Promise<Cookies> {
  const { keys, people } = stage
  const [own, other, ended] = await Promise.all(
    [people.alice, people.bob, people.alice].map(async (person) => stage.session(person.did)),
  )
  const { did, sid } = valuesOf(own ?? '')
  await answerTo(stage, 'POST', '/api/auth/logout', [`Cookie: ${ended}`])
  return {
    ...{ did, sid, otherDid: valuesOf(other ?? '').did, otherSid: valuesOf(other ?? '').sid },
    ended: ended ?? '',
    signedAs: (name, expiresAt = Date.now() + 60_000) =>
      signParts(keys, name, [people.alice.did, sid], expiresAt),
  }
}

function valuesOf(cookie: string): { did: string; sid: string } {
  const [, did = '', sid = ''] = /^did=(.*); sid=(.*)$/.exec(cookie) ?? []
  return { did, sid }
}
