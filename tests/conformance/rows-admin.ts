import { hashPassword } from '#api/session/admin-password.ts'
import { addAdmin, removeAdmin } from '#store/accounts/admins.ts'
import { like } from './like.ts'
import type { Row } from './row.ts'
import type { Scene } from './scene.ts'

const password = 'correct horse battery'

/** An administrator, until the scene ends. */
async function ruth(scene: Scene): Promise<void> {
  const { db } = scene.stage.database
  const passwordHash = await hashPassword(password)
  await addAdmin(db, { id: crypto.randomUUID(), name: 'ruth', passwordHash, createdAt: Date.now() })
  scene.after(() => removeAdmin(db, 'ruth'))
}

/** In the browser of the scene. */
async function ruthIsSignedIn(scene: Scene): Promise<void> {
  await ruth(scene)
  const body = JSON.stringify({ username: 'ruth', password })
  const answer = await scene.browser.fetch('/api/admin/login', { method: 'POST', body })
  if (!answer.ok) throw new Error(`an administrator's sign-in: ${answer.status}`)
}

const removed = 'admin_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0'

/** §4.6 so far: signing in, out, and whether one is. */
export const adminRows: readonly Row[] = [
  {
    route: 'POST /api/admin/login',
    section: '4.6',
    what: 'name and password: a session',
    by: 'nobody',
    given: ruth,
    json: { username: 'ruth', password },
    ...{ status: 200, body: { success: true } },
    cookies: [
      like('admin_session=[^;]+; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200'),
      like('admin_device=[^;]+; Path=/; HttpOnly; SameSite=Strict; Max-Age=7776000'),
    ],
  },
  {
    route: 'POST /api/admin/login',
    section: '4.6',
    situation: 'Admin login with wrong credentials',
    what: 'another password',
    by: 'nobody',
    given: ruth,
    json: { username: 'ruth', password: 'not this one' },
    ...{ status: 401, body: { error: 'Invalid credentials' }, cookies: [] },
  },
  {
    route: 'POST /api/admin/login',
    section: '4.6',
    what: 'another name',
    by: 'nobody',
    json: { username: 'ruth', password },
    ...{ status: 401, body: { error: 'Invalid credentials' }, cookies: [] },
  },
  {
    route: 'POST /api/admin/logout',
    section: '4.6',
    what: 'the session ends',
    by: 'nobody',
    given: ruthIsSignedIn,
    ...{ status: 200, body: { success: true }, cookies: [removed] },
  },
  {
    route: 'POST /api/admin/logout',
    section: '4.6',
    situation: 'Admin route without valid session',
    what: 'an account is no administrator',
    by: 'alice',
    ...{ status: 401, body: { error: 'Unauthorized' } },
  },
  {
    route: 'GET /api/admin/status',
    section: '4.6',
    what: 'who is signed in',
    by: 'nobody',
    given: ruthIsSignedIn,
    ...{ status: 200, body: { authenticated: true, username: 'ruth' } },
  },
  {
    route: 'GET /api/admin/status',
    section: '4.6',
    what: 'nobody is',
    by: 'nobody',
    ...{ status: 200, body: { authenticated: false } },
  },
]
