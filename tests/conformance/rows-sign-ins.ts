import type { Did } from '#site/site-address.ts'
import { aTime } from './like.ts'
import type { Row } from './row.ts'
import type { Scene } from './scene.ts'

const noSession = ['did', 'sid'].map(
  (name) => `${name}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`,
)

const list = { route: 'GET /api/user/sessions', section: 'ours', by: 'nobody' } as const
const end = { route: 'DELETE /api/user/sessions/:id', section: 'ours', by: 'nobody' } as const
const everywhere = { route: 'POST /api/auth/logout-everywhere', section: 'ours' } as const

const headers = { cookie: '{cookie}' }
const unauthorized = { status: 401, body: { error: 'Unauthorized' } }
const success = { status: 200, body: { success: true } }

/** Sign-ins of an account: a list, the end of one, the end of all. */
export const signInRows: readonly Row[] = [
  {
    ...list,
    what: 'the one there is',
    given: signedIn,
    headers,
    status: 200,
    body: {
      sessions: [
        {
          ...{ id: '{signIn}', createdAt: aTime, lastUsedAt: aTime },
          ...{ device: null, current: true },
        },
      ],
    },
  },
  { ...list, what: 'nobody is signed in', ...unauthorized },
  {
    ...end,
    what: 'its own',
    given: signedIn,
    headers,
    path: '/api/user/sessions/{signIn}',
    ...{ ...success, cookies: noSession },
  },
  {
    ...end,
    what: 'one that is not there',
    given: signedIn,
    headers,
    path: '/api/user/sessions/x',
    ...{ status: 404, body: { error: 'That sign-in has ended already.' }, cookies: [] },
  },
  {
    ...everywhere,
    what: 'ends them all',
    by: 'nobody',
    given: signedIn,
    headers,
    ...{ ...success, cookies: noSession },
  },
  { ...everywhere, what: 'nobody is signed in', by: 'nobody', ...unauthorized },
]

/** An account that is nowhere, signed in once: `{cookie}`, `{signIn}`. */
async function signedIn(scene: Scene): Promise<void> {
  const did = `did:web:${crypto.randomUUID()}.test` as Did
  const cookie = await scene.stage.session(did)
  scene.know('cookie', cookie)
  const { db } = scene.stage.database
  const row = db.selectFrom('browserSessions').select('idHash').where('did', '=', did)
  scene.know('signIn', (await row.executeTakeFirstOrThrow()).idHash)
}
