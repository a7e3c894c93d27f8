import { sentences } from '#api/contract/messages.ts'
import { scopes } from '#atproto/oauth/oauth-client.ts'
import { consentOverHttp } from '../../devnet/consent.ts'
import { like } from './like.ts'
import { RoamingClient } from './roaming-client.ts'
import type { Row } from './row.ts'
import type { Scene } from './scene.ts'
import { password } from './stage.ts'

const authorize = like('{pds}/oauth/authorize\\?client_id=[^&]+&request_uri=[^&]+')
const nonce = like('oauth=[\\w-]{22,}; Path=/; HttpOnly; SameSite=Lax; Max-Age=600')
const spentNonce = 'oauth=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0'
const thirtyDays = 'Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000'
const session = [
  spentNonce,
  like(`did={did}\\|[\\w-]{43}\\|\\d{13}\\|[\\w-]{43}; ${thirtyDays}`),
  like(`sid=[\\w-]{43}; ${thirtyDays}`),
]
const noSession = ['did', 'sid'].map(
  (name) => `${name}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`,
)
const authFailed = { status: 302, location: '/?error=auth_failed', body: '' }

const oneNetwork = { 'x-forwarded-for': '192.0.2.1' }

const html = { accept: 'text/html' }
const tooMany = {
  status: 302,
  location: '/?error=auth_failed&reason=too_many',
  body: '',
  cookies: [],
}

const login = { route: 'GET /api/auth/login', by: 'nobody' } as const
const signin = { route: 'POST /api/auth/signin', by: 'nobody' } as const
const callback = { route: 'GET /api/auth/callback', by: 'nobody' } as const
const logout = { route: 'POST /api/auth/logout' } as const
const status = { route: 'GET /api/auth/status' } as const
const noHandle = {
  error: 'Authentication failed',
  details: 'Enter a handle, such as alice.bsky.social.',
}
const failure = 'Login or callback failure'

/** §4.1, with decisions.md §2 and §3. */
export const authRows: readonly Row[] = [
  {
    ...login,
    section: '4.1',
    what: 'leads to where the account’s server asks, which the browser has to come back from',
    path: '/api/auth/login?handle=alice.test',
    ...{ status: 302, location: authorize, body: '', cookies: [nonce] },
  },
  {
    ...login,
    section: 'decisions 3',
    what: 'login_hint is another word for the handle',
    path: '/api/auth/login?login_hint=alice.test',
    ...{ status: 302, location: authorize, body: '' },
  },
  {
    ...login,
    section: 'decisions 3',
    what: 'a DID will do',
    path: '/api/auth/login?login_hint={alice}',
    ...{ status: 302, location: authorize, body: '' },
  },
  {
    ...login,
    section: 'decisions 3',
    what: 'and the address of a server',
    path: '/api/auth/login?pds={pds}',
    ...{ status: 302, location: authorize, body: '' },
  },
  {
    ...login,
    section: '4.1',
    situation: 'Login without handle or server address',
    what: 'nobody named',
    ...{ status: 302, location: '/?error=missing_handle', body: '', cookies: [] },
  },
  {
    ...login,
    section: 'decisions 8',
    what: 'a handle of blanks',
    path: '/api/auth/login?handle=%20%20',
    ...{ status: 302, location: '/?error=missing_handle', body: '', cookies: [] },
  },
  {
    ...login,
    section: '4.1',
    situation: failure,
    what: 'a handle that does not exist',
    path: '/api/auth/login?handle=nobody.test',
    ...{ ...authFailed, cookies: [] },
  },
  {
    ...login,
    section: 'ours',
    what: 'sent here by a page elsewhere: the person is asked first',
    given: (scene) => scene.know('handle', 'alice.test'),
    path: '/api/auth/login?handle={handle}',
    headers: { 'sec-fetch-site': 'cross-site' },
    ...{ status: 302, location: '/?handle={handle}', body: '', cookies: [] },
  },
  {
    ...login,
    section: 'ours',
    what: 'the same by a link of another program, such as a mail’s',
    given: (scene) => scene.know('handle', 'alice.test'),
    path: '/api/auth/login?handle={handle}',
    headers: { 'sec-fetch-site': 'none' },
    ...{ status: 302, location: '/?handle={handle}', body: '', cookies: [] },
  },
  {
    ...login,
    section: 'ours',
    what: 'the same with a page to come back to, which is kept; an address elsewhere is not',
    given: (scene) => {
      scene.know('handle', 'alice.test')
      scene.know('path', '%2Fsites%2Fblog')
    },
    path: '/api/auth/login?handle={handle}&return_to={path}',
    headers: { 'sec-fetch-site': 'cross-site' },
    ...{ status: 302, location: '/?handle={handle}&return_to={path}', body: '', cookies: [] },
  },
  {
    ...login,
    section: 'ours',
    what: 'a page elsewhere to come back to',
    path: '/api/auth/login?handle=x&return_to=//evil.example/',
    headers: { 'sec-fetch-site': 'cross-site' },
    ...{ status: 302, location: '/?handle=x', body: '', cookies: [] },
  },
  {
    ...login,
    section: 'decisions 1',
    what: 'more than 60 in a while from one network',
    given: async ({ browser }) => {
      for (let n = 0; n < 60; n++) await browser.fetch('/api/auth/login', { headers: oneNetwork })
    },
    headers: oneNetwork,
    status: 429,
    body: { error: 'Too many sign-ins from your network. Try again in 10 seconds.' },
    answerHeaders: { 'retry-after': '10' },
  },
  {
    ...login,
    section: 'ours',
    what: 'the same in a browser: told where to sign in',
    given: ({ browser }) => askOften(browser, '/api/auth/login', '192.0.2.2'),
    headers: { ...html, 'x-forwarded-for': '192.0.2.2' },
    ...tooMany,
  },
  {
    ...signin,
    section: '4.1',
    what: 'the address to go to',
    json: { handle: 'alice.test' },
    ...{ status: 200, body: { url: authorize }, cookies: [nonce] },
  },
  {
    ...signin,
    section: 'decisions 3',
    what: 'a DID will do',
    json: { handle: '{alice}' },
    ...{ status: 200, body: { url: authorize } },
  },
  {
    ...signin,
    section: 'decisions 3',
    what: 'and the address of a server',
    json: { handle: '{pds}' },
    ...{ status: 200, body: { url: authorize } },
  },
  {
    ...signin,
    section: 'ours',
    what: 'which needs no scheme',
    json: { handle: '{pdsHost}' },
    ...{ status: 200, body: { url: authorize } },
  },
  ...(
    [
      ['nobody.test', sentences.unknownHandle],
      ['not a handle', sentences.notAnAccountName],
      ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'That account does not exist.'],
      [
        'http://127.0.0.1:9',
        'That server did not answer. Check the address, or try again in a few minutes.',
      ],
    ] as const
  ).map(([handle, details]) => ({
    ...signin,
    section: '4.1' as const,
    situation: '`POST /api/auth/signin` failure',
    what: `${handle}: a sentence for the person`,
    json: { handle },
    ...{ status: 401, body: { error: 'Authentication failed', details }, cookies: [] },
  })),
  ...[
    'handle=alice.test',
    {},
    { handle: '' },
    { handle: '  ' },
    { handle: 7 },
    { handle: null },
  ].map((json) => ({
    ...signin,
    section: '4.1' as const,
    situation: '`POST /api/auth/signin` failure',
    what: `no usable handle: ${JSON.stringify(json)}`,
    json,
    ...{ status: 400, body: noHandle, cookies: [] },
  })),
  {
    ...callback,
    section: '4.1',
    what: 'an account without sites and domains goes to its first steps, with a session',
    given: async (scene) => {
      scene.know('did', scene.facts['carol'] ?? '')
      await scene.consent('carol.test')
    },
    path: '{callback}',
    ...{ status: 302, location: '/onboarding', body: '', cookies: session },
  },
  {
    ...callback,
    section: '4.1',
    what: 'one with a site goes to the editor',
    given: async (scene) => {
      scene.know('did', scene.facts['alice'] ?? '')
      await scene.consent('alice.test')
    },
    path: '{callback}',
    ...{ status: 302, location: '/editor', body: '', cookies: session },
  },
  {
    ...callback,
    section: 'ours',
    what: 'whoever opened a page first comes back to it, also without sites',
    given: async (scene) => {
      scene.know('page', 'sites/blog/versions?from=a%2Fb')
      await scene.consent('carol.test', { returnTo: '/sites/blog/versions?from=a%2Fb' })
    },
    path: '{callback}',
    ...{ status: 302, location: '/{page}', body: '' },
  },
  ...['//evil.example/', '/\\evil.example/', '/%2Fevil.example', 'https://evil.example/editor'].map(
    (returnTo) => ({
      ...callback,
      section: 'ours' as const,
      what: `never to another origin: ${returnTo}`,
      given: (scene: Scene) => scene.consent('alice.test', { returnTo }),
      path: '{callback}',
      ...{ status: 302, location: '/editor', body: '' },
    }),
  ),
  {
    ...callback,
    section: 'decisions 3',
    what: 'one with a domain and no site goes to the editor too',
    given: async (scene) => {
      await scene.claim('dora', 'doras-name')
      await scene.consent('dora.test')
    },
    path: '{callback}',
    ...{ status: 302, location: '/editor', body: '' },
  },
  {
    ...callback,
    section: '4.1',
    situation: failure,
    what: 'the person pressed “deny”',
    given: (scene) => scene.consent('alice.test', { reject: true }),
    path: '{callback}',
    ...{ ...authFailed, cookies: [spentNonce] },
  },
  {
    ...callback,
    section: 'decisions 3',
    what: 'a scope is missing',
    given: (scene) => scene.consent('alice.test', { scope: scopes.slice(0, -1).join(' ') }),
    path: '{callback}',
    ...{ ...authFailed, cookies: [spentNonce] },
  },
  {
    ...callback,
    section: 'decisions 3',
    what: 'opened in another browser',
    given: consentElsewhere,
    path: '{callback}',
    ...{ ...authFailed, cookies: [spentNonce] },
  },
  {
    ...callback,
    section: 'decisions 3',
    what: 'opened a second time',
    given: async (scene) => {
      await scene.consent('alice.test')
      await scene.browser.fetch(scene.facts['callback'] ?? '')
    },
    path: '{callback}',
    ...{ ...authFailed, cookies: [spentNonce] },
  },
  {
    ...callback,
    section: 'decisions 3',
    what: 'a state that nobody gave',
    path: '/api/auth/callback?code=x&state=y&iss={pds}',
    ...{ ...authFailed, cookies: [spentNonce] },
  },
  {
    ...callback,
    section: 'decisions 3',
    what: 'neither code nor state',
    ...{ ...authFailed, cookies: [spentNonce] },
  },
  {
    ...callback,
    section: 'ours',
    what: 'more than 120 in a while from one network, in a browser',
    given: ({ browser }) => askOften(browser, '/api/auth/callback', '192.0.2.3'),
    headers: { ...html, 'x-forwarded-for': '192.0.2.3' },
    ...tooMany,
  },
  {
    ...callback,
    section: 'decisions 3',
    what: 'another issuer',
    given: async (scene) => {
      await scene.consent('alice.test')
      const url = new URL(scene.facts['callback'] ?? '', scene.facts['app'])
      url.searchParams.set('iss', 'https://evil.example')
      scene.know('callback', url.pathname + url.search)
    },
    path: '{callback}',
    ...{ ...authFailed, cookies: [spentNonce] },
  },
  {
    ...logout,
    section: '4.1',
    what: 'ends the session of this browser',
    by: 'nobody',
    given: signedInBrowser,
    ...{ status: 200, body: { success: true }, cookies: noSession },
  },
  {
    ...logout,
    section: 'decisions 3',
    what: 'signed out already',
    by: 'nobody',
    ...{ status: 200, body: { success: true }, cookies: noSession },
  },
  {
    ...logout,
    section: '4.1',
    situation: 'Logout failure',
    what: 'the session cannot be ended, and stays',
    by: 'nobody',
    given: async (scene) => {
      await signedInBrowser(scene)
      await scene.hideTable('browser_sessions')
    },
    ...{ status: 500, body: { error: 'Logout failed' }, cookies: [] },
  },
  {
    ...status,
    section: '4.1',
    what: 'signed in',
    by: 'alice',
    ...{ status: 200, body: { authenticated: true, did: '{alice}' }, cookies: [] },
  },
  {
    ...status,
    section: '4.1',
    what: 'not signed in',
    by: 'nobody',
    ...{ status: 200, body: { authenticated: false } },
  },
  {
    ...status,
    section: 'decisions 2',
    what: 'a session that has ended: the cookies go',
    by: 'nobody',
    given: async (scene) => {
      const cookie = await scene.stage.session(scene.stage.people.alice.did)
      scene.know('cookie', cookie)
      await fetch(new URL('/api/auth/logout', scene.facts['app']), {
        ...{ method: 'POST', headers: { cookie } },
      })
    },
    headers: { cookie: '{cookie}' },
    ...{ status: 200, body: { authenticated: false }, cookies: noSession },
  },
]

async function signedInBrowser(scene: Scene): Promise<void> {
  await scene.consent('alice.test')
  await scene.browser.fetch(scene.facts['callback'] ?? '')
}

async function consentElsewhere(scene: Scene): Promise<void> {
  const begun = await new RoamingClient(scene.facts['app'] ?? '').fetch(
    '/api/auth/login?handle=alice.test',
  )
  const url = begun.headers.get('location') ?? ''
  const { pathname, search } = await consentOverHttp(url, 'alice.test', password)
  scene.know('callback', pathname + search)
}

/** Until it is too often. */
async function askOften(browser: Scene['browser'], path: string, address: string): Promise<void> {
  const headers = { 'x-forwarded-for': address }
  while ((await browser.fetch(path, { headers })).status !== 429);
}
