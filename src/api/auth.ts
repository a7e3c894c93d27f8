import { Hono } from 'hono'
import { z } from 'zod'
import { AccountRepo } from '#atproto/account-repo.ts'
import { SignInError } from '#atproto/sign-in-error.ts'
import { manifestFilesMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { upsertAccount } from '#store/accounts.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import { findRunningJob } from '#store/jobs.ts'
import { parseBody } from './body.ts'
import type { ApiContext } from './context.ts'
import { readCookie, setCookie } from './cookies.ts'
import { ApiError, signInSentence } from './errors.ts'
import type { BrowserSessions } from './sessions.ts'
import type { ApiEnv } from './variables.ts'

const signInBody = z.object({ handle: z.string().min(1).max(2048) })
const nonceSeconds = 10 * 60
const listSitesMsMax = 5_000

/** `/api/auth/*`: signing in with an account of the network, and out again (interface.md §4.1). */
export function authRoutes(context: ApiContext, sessions: BrowserSessions): Hono<ApiEnv> {
  const { db, log, oauth, origin } = context
  const secure = origin.startsWith('https:')
  const nonceCookie = secure ? '__Host-oauth' : 'oauth'
  const begin = async (input: string) => {
    const { url, nonce } = await oauth.begin(input)
    const cookie = setCookie(nonceCookie, nonce, { maxAgeSeconds: nonceSeconds, secure })
    return { url: url.href, cookie }
  }
  const forgetNonce = setCookie(nonceCookie, '', { maxAgeSeconds: 0, secure })
  const routes = new Hono<ApiEnv>()

  routes.get('/login', async (c) => {
    const input = c.req.query('handle') || c.req.query('login_hint') || c.req.query('pds')
    if (!input) return c.redirect('/?error=missing_handle')
    try {
      const { url, cookie } = await begin(c.req.query('pds') === input ? serverUrl(input) : input)
      c.header('set-cookie', cookie)
      return c.redirect(url)
    } catch (error) {
      log.warn('sign-in not started', { error })
      return c.redirect('/?error=auth_failed')
    }
  })

  routes.post('/signin', async (c) => {
    const { handle } = await parseBody(c.req.raw, signInBody)
    try {
      const { url, cookie } = await begin(handle)
      c.header('set-cookie', cookie)
      return c.json({ url })
    } catch (error) {
      log.warn('sign-in not started', { error })
      return c.json({ error: 'Authentication failed', details: signInSentence(error) }, 401)
    }
  })

  routes.get('/callback', async (c) => {
    const nonce = readCookie(c.req.header('cookie') ?? null, nonceCookie)
    c.header('set-cookie', forgetNonce)
    try {
      const query = new URL(c.req.url).searchParams
      const did = await oauth.complete(query, nonce.kind === 'one' ? nonce.value : null)
      const siteNames = await welcome(did, context)
      for (const cookie of await sessions.start(did))
        c.header('set-cookie', cookie, { append: true })
      return c.redirect(siteNames.length > 0 ? '/editor' : '/onboarding')
    } catch (error) {
      log[error instanceof SignInError ? 'warn' : 'error']('sign-in not completed', { error })
      return c.redirect('/?error=auth_failed')
    }
  })

  routes.post('/logout', async (c) => {
    try {
      const session = await sessions.read(c.req.raw.headers)
      if (session !== null && (await sessions.end(session))) await revokeUnlessBusy(session.did)
    } catch (error) {
      log.error('sign-out failed', { error })
      return c.json({ error: 'Logout failed' }, 500)
    }
    for (const cookie of sessions.expired()) c.header('set-cookie', cookie, { append: true })
    return c.json({ success: true })
  })

  routes.get('/status', async (c) => {
    const session = await sessions.read(c.req.raw.headers)
    if (session !== null && (await oauth.has(session.did))) {
      return c.json({ authenticated: true, did: session.did })
    }
    for (const cookie of sessions.expired()) c.header('set-cookie', cookie, { append: true })
    return c.json({ authenticated: false })
  })

  // A job that runs needs the account's session; without it the upload would fail half way.
  async function revokeUnlessBusy(did: Did): Promise<void> {
    if ((await findRunningJob(db, did)) !== null) return
    await oauth.revoke(did).catch((error) => log.warn('session not revoked', { did, error }))
  }

  return routes
}

/** Gets to know an account: who it is, and which sites it has. Its sites are ingested in the background. */
async function welcome(did: Did, context: ApiContext): Promise<string[]> {
  const { db, hints, identities, now } = context
  const { handle, pds } = await identities.resolve(did, { fresh: true })
  await upsertAccount(db, { did, handle, pds }, now())
  const names = await withinTime(listSiteNames(did, context), listSitesMsMax)
  await enqueueIngest(
    db,
    names.map((name) => ({ did, name })),
    now(),
  )
  hints.notify('ingest')
  return names
}

async function listSiteNames(did: Did, { oauth }: ApiContext) {
  const repo = new AccountRepo(await oauth.session(did))
  const keys = await repo.listRecordKeys('place.sitehost.fs', manifestFilesMax)
  return keys.flatMap((key) => parseSiteName(key) ?? [])
}

async function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new ApiError(504, 'Your server took too long.')), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

const serverUrl = (input: string): string => (input.includes('://') ? input : `https://${input}`)
