import type { Context } from 'hono'
import type { z } from 'zod'
import { parseReturnPath } from '#api/app-pages.ts'
import type { HandlersOf } from '#api/bind-routes.ts'
import { readJson } from '#api/body.ts'
import type { ApiContext, ApiEnv } from '#api/context.ts'
import { type authRoutes, signInBody } from '#api/contract/auth.ts'
import { jsonBytesMax } from '#api/contract/limits.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import type { QueryOf } from '#api/contract/route.ts'
import { ApiError, signInSentence } from '#api/errors.ts'
import { readCookie, setCookie } from '#api/session/cookies.ts'
import { endAllSignIns, revokeIfUnused } from '#api/session/end-sign-ins.ts'
import type { BrowserSessions, SessionRef } from '#api/session/sessions.ts'
import type { Admission } from '#api/session/sign-in-admission.ts'
import { SignInSlots } from '#api/session/sign-in-slots.ts'
import { SignInError } from '#atproto/oauth/sign-in-error.ts'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { recordEvent } from '#observe/events.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { Did } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { forgetDeletion } from '#store/accounts/deleted-here.ts'
import { forgetGrantFailures } from '#store/accounts/grant-failures.ts'
import {
  authorityOf,
  deleteSessionsOfOthers,
  endSessionsOf,
  setAuthority,
} from '#store/accounts/sessions.ts'
import { rememberSignedIn } from '#store/lifecycle/visited-accounts.ts'
import { hasDomains } from '#store/names/hosts.ts'
import { enqueueAccounts, enqueueSites } from '#store/queues/enqueue.ts'
import { listSites } from '#store/sites/sites.ts'

const nonceSeconds = 10 * 60
const listSitesMsMax = 5_000
const sitesListedMax = 1_000

/** `/api/auth/*`: signing in with an atproto account, and out again (interface.md §4.1). */
export function authHandlers(
  context: ApiContext,
  sessions: BrowserSessions,
  admission: Admission,
): HandlersOf<typeof authRoutes> {
  const { db, log, oauth, origin } = context
  // Rate-limited: anybody can cause these failures, by choosing the server or calling the callback.
  const limited = rateLimitedLog(log)
  const secure = origin.startsWith('https:')
  const slots = new SignInSlots(context)
  const nonceCookie = secure ? '__Host-oauth' : 'oauth'
  /** Where to send the browser, which gets the nonce as a cookie. */
  const begin = async (
    input: string,
    returnTo: string | undefined,
    c: Context<ApiEnv>,
  ): Promise<URL> => {
    const { url, nonce } = await slots.use('begin', c, () =>
      oauth.begin(input, parseReturnPath(returnTo)),
    )
    c.header('set-cookie', setCookie(nonceCookie, nonce, { maxAgeSeconds: nonceSeconds, secure }))
    return url
  }
  const forgetNonce = setCookie(nonceCookie, '', { maxAgeSeconds: 0, secure })

  async function end(session: SessionRef): Promise<void> {
    if (await sessions.end(session)) await revokeIfUnused(session.did, context)
  }

  /** The page to continue on. Ends the browser's earlier session, or this one on failure. */
  async function settle(session: SessionRef, headers: Headers): Promise<'/editor' | '/onboarding'> {
    try {
      const siteNames = await welcome(session, context)
      const before = await sessions.read(headers)
      if (before !== null) await end(before)
      const isKnown = siteNames.length > 0 || (await hasDomains(db, session.did))
      return isKnown ? '/editor' : '/onboarding'
    } catch (error) {
      await end(session)
      throw error
    }
  }

  /** The page to continue on, as a browser that is signed in. Throws SignInError. */
  const complete = async (c: Context<ApiEnv>): Promise<`/${string}`> => {
    const nonce = readCookie(c.req.header('cookie') ?? null, nonceCookie)
    c.header('set-cookie', forgetNonce)
    const { session, cookies, returnTo } = await oauth.complete(
      new URL(c.req.url).searchParams,
      nonce.kind === 'one' ? nonce.value : null,
      async (did, grantBefore, returnTo) => {
        const code = admission.codeIn(c.req.raw.headers)
        if (!(await admission.enter(did, code))) throw new SignInError('not-allowed')
        // First: an account deletion under way would remove what is stored for the account.
        await forgetDeletion(db, did)
        await forgetGrantFailures(db, did)
        // Sessions of a grant that its owner has ended must not continue under the new grant.
        if (grantBefore === 'ended') await endSessionsOf(db, did)
        const started = await sessions.start(did, c.req.header('user-agent') ?? null)
        return { ...started, returnTo }
      },
    )
    const usual = await settle(session, c.req.raw.headers)
    recordEvent(log, 'signed_in', { did: session.did })
    for (const cookie of cookies) c.header('set-cookie', cookie, { append: true })
    // Read once more: pages may have gone since this was stored.
    return parseReturnPath(returnTo) ?? usual
  }

  return {
    beginSignIn: async ({ query, answer, c }) => {
      const input = inputOf(query)
      if (!input) return answer(302, '/?error=missing_handle')
      // Login CSRF: a page elsewhere, a mail or a QR code could sign a visitor in to an account of its own server, without a
      // click. The sign-in page asks first.
      if (!isOwnNavigation(c.req.header('sec-fetch-site'))) {
        const page = parseReturnPath(query.return_to)
        const asked = `/?handle=${encodeURIComponent(input)}` as const
        if (page === null) return answer(302, asked)
        return answer(302, `${asked}&return_to=${encodeURIComponent(page)}`)
      }
      try {
        return answer(302, await begin(input, query.return_to, c))
      } catch (error) {
        recordEvent(limited, 'sign_in_refused', { reason: 'not started', error })
        if (error instanceof ApiError) return answer(302, '/?error=auth_failed&reason=too_many')
        return answer(302, '/?error=auth_failed')
      }
    },

    signIn: async ({ answer, c }) => {
      const error = literals.authenticationFailed
      const asked = await readSignIn(c.req.raw)
      if (asked === null) return answer(400, { error, details: sentences.handleMissing })
      try {
        return answer(200, { url: (await begin(asked.handle, asked.return_to, c)).href })
      } catch (cause) {
        recordEvent(limited, 'sign_in_refused', { reason: 'not started', error: cause })
        if (cause instanceof ApiError) throw cause
        return answer(401, { error, details: signInSentence(cause) })
      }
    },

    completeSignIn: async ({ answer, c }) => {
      try {
        return answer(302, await slots.use('complete', c, () => complete(c)))
      } catch (error) {
        // The browser still has its nonce: it may come back.
        if (error instanceof ApiError) return answer(302, '/?error=auth_failed&reason=too_many')
        const level = error instanceof SignInError ? 'warn' : 'error'
        const isNotAllowed = error instanceof SignInError && error.failure === 'not-allowed'
        const reason = isNotAllowed ? 'not allowed here' : 'not completed'
        recordEvent(limited, 'sign_in_refused', { reason, error }, level)
        if (!isNotAllowed) return answer(302, '/?error=auth_failed')
        return answer(302, '/?error=auth_failed&reason=not_allowed')
      }
    },

    acceptInvitation: async ({ params: { code }, answer, c }) => {
      const cookie = await admission.cookieFor(code)
      if (cookie === null) return answer(302, '/?error=auth_failed&reason=invitation_over')
      c.header('set-cookie', cookie)
      return answer(302, '/?news=invited')
    },

    signOut: async ({ answer, c }) => {
      try {
        const session = await sessions.read(c.req.raw.headers)
        if (session !== null) {
          await end(session)
          recordEvent(log, 'signed_out', { did: session.did })
        }
      } catch (error) {
        log.error('sign-out failed', { error })
        return answer(500, { error: literals.logoutFailed })
      }
      for (const cookie of sessions.expired()) c.header('set-cookie', cookie, { append: true })
      return answer(200, { success: true })
    },

    signOutEverywhere: async ({ session: { did }, answer, c }) => {
      await endAllSignIns(did, context)
      recordEvent(log, 'signed_out', { did, reason: 'everywhere' })
      for (const cookie of sessions.expired()) c.header('set-cookie', cookie, { append: true })
      return answer(200, { success: true })
    },

    readAuthStatus: async ({ answer, c }) => {
      const session = await sessions.read(c.req.raw.headers)
      if (session !== null && (await oauth.has(session.did))) {
        return answer(200, { authenticated: true, did: session.did })
      }
      if (session !== null) await sessions.end(session)
      for (const cookie of sessions.expired()) c.header('set-cookie', cookie, { append: true })
      return answer(200, { authenticated: false })
    },
  }
}

/** The account or server in the link; undefined without one. */
function inputOf(query: QueryOf<(typeof authRoutes)['beginSignIn']>): string | undefined {
  const pds = query.pds?.trim()
  return query.handle?.trim() || query.login_hint?.trim() || (pds && serverUrl(pds))
}

/** Null: no usable handle, whatever was sent. Throws ApiError 413. */
async function readSignIn(request: Request): Promise<z.output<typeof signInBody> | null> {
  const body = await readJson(request, { bytesMax: jsonBytesMax }).catch((error) => {
    if (error instanceof ApiError && error.status === 400) return null
    throw error
  })
  const parsed = signInBody.safeParse(body)
  return parsed.success ? parsed.data : null
}

/** From a page of ours, or not from a browser. `none` is an address that was typed, or a link of another program. */
const isOwnNavigation = (site: string | undefined): boolean =>
  site === undefined || site === 'same-origin'

/** Resolves an account's identity and its sites, which are ingested in the background. */
async function welcome({ did, idHash }: SessionRef, context: ApiContext): Promise<SiteName[]> {
  const { alsoServe = [], db, now, signInIdentities: identities } = context
  const identity = await identities.resolve(did, { fresh: true })
  const authority = authorityOf(identity.pds, identity.signingMultikey)
  await setAuthority(db, idHash, authority)
  await deleteSessionsOfOthers(db, did, authority)
  const handle = await identities.verifiedHandle(identity)
  const account = { did, pds: identity.pds, ...(handle !== undefined && { handle }) }
  await rememberSignedIn(db, account, now())
  const names = await siteNamesOf(did, context)
  const sites = names.map((name) => ({ did, name }))
  await enqueueSites(context, sites)
  // Foreign sites are read with the account as a whole.
  if (alsoServe.length > 0) await enqueueAccounts(context, [did], { isUrgent: true })
  return names
}

/** Site names in the repository, or the known ones if its server fails or takes too long. */
async function siteNamesOf(did: Did, { db, log, oauth }: ApiContext): Promise<SiteName[]> {
  try {
    const signal = AbortSignal.timeout(listSitesMsMax)
    const repo = new AccountRepo(did, (did) => oauth.session(did, 'signIns'), { signal })
    const limits = { recordsMax: sitesListedMax, valuesMax: 0 }
    const records = await repo.listRecords(ownNamespace.fs, limits)
    return records.flatMap(({ rkey }) => parseSiteName(rkey) ?? [])
  } catch (error) {
    log.warn('sites not listed', { did, error })
    return (await listSites(db, did)).map((site) => site.name)
  }
}

const serverUrl = (input: string): string => (input.includes('://') ? input : `https://${input}`)
