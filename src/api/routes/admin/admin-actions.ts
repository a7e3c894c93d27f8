import { endSessions, setLimits } from '#admin/accounts.ts'
import type { By } from '#admin/action.ts'
import { cancelPublish } from '#admin/cancel-publish.ts'
import { recheckDomain, releaseName } from '#admin/names.ts'
import { purgeSiteBlobs, retrySite, verifySiteBlobs } from '#admin/sites.ts'
import { bringBack, takeOffline } from '#admin/take-offline.ts'
import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { adminActionRoutes } from '#api/contract/admin/admin-actions.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { revokeIfUnused } from '#api/session/end-sign-ins.ts'
import { foldDomain } from '#domains/domain-name.ts'
import { type Did, parseDid, type SiteAddress } from '#site/site-address.ts'
import { parseAnySiteName } from '#site/site-name.ts'
import type { AdminSession } from '#store/accounts/sessions.ts'

/** A purge takes seconds; the lease of one whose process was killed lasts half a minute. */
const purgeRetrySeconds = 30

/** `/api/admin/*`: what administrators do to sites, accounts, names and jobs. */
export function adminActionHandlers(context: ApiContext): HandlersOf<typeof adminActionRoutes> {
  const signal = context.shutdown.begun
  const done = { success: true } as const
  return {
    takeDownSite: async ({ params, body, session, answer }) => {
      const { did, name } = siteIn(params)
      await takeOffline({ did, site: name }, body.status, by(session, body), context)
      return answer(200, done)
    },
    bringBackSite: async ({ params, body, session, answer }) => {
      const { did, name } = siteIn(params)
      const takedown = await bringBack({ did, site: name }, by(session, body), context)
      if (takedown === null) throw new ApiError(404, sentences.notTakenDown)
      return answer(200, done)
    },
    retrySite: async ({ params, body, session, answer }) => {
      const isKnown = await retrySite(siteIn(params), by(session, body), context)
      if (!isKnown) throw new ApiError(404, literals.siteNotFound)
      return answer(200, done)
    },
    purgeSiteBlobs: async ({ params, body, session, answer, c }) => {
      // Bun would close the connection, which is silent while snapshots are read.
      c.env.server?.timeout(c.req.raw, 0)
      const count = await purgeSiteBlobs(siteIn(params), by(session, body), { ...context, signal })
      if (count === null) throw new ApiError(404, literals.siteNotFound)
      if (count === 'busy') throw purgeRunning()
      return answer(200, { ...done, ...count })
    },
    verifySiteBlobs: async ({ params, body, session, answer, c }) => {
      c.env.server?.timeout(c.req.raw, 0)
      const count = await verifySiteBlobs(siteIn(params), by(session, body), { ...context, signal })
      if (count === null) throw new ApiError(404, literals.siteNotFound)
      return answer(200, { ...done, ...count })
    },

    takeDownAccount: async ({ params, body, session, answer }) => {
      const subject = { did: accountIn(params), site: '' } as const
      await takeOffline(subject, body.status, by(session, body), context)
      return answer(200, done)
    },
    bringBackAccount: async ({ params, body, session, answer }) => {
      const subject = { did: accountIn(params), site: '' } as const
      const takedown = await bringBack(subject, by(session, body), context)
      if (takedown === null) throw new ApiError(404, sentences.notTakenDown)
      return answer(200, done)
    },
    endAccountSessions: async ({ params, body, session, answer }) => {
      const did = accountIn(params)
      await endSessions(did, by(session, body), context)
      await revokeIfUnused(did, context)
      return answer(200, done)
    },
    setAccountLimits: async ({ params, body, session, answer }) => {
      const { reason, ...limits } = body
      await setLimits(accountIn(params), limits, by(session, { reason }), context)
      return answer(200, done)
    },

    recheckDomain: async ({ params, body, session, answer }) => {
      const found = await recheckDomain(domainIn(params), by(session, body), context)
      if (found === null) throw new ApiError(404, literals.domainNotFound)
      return answer(200, { ...done, verified: found.verified })
    },
    releaseName: async ({ params, body, session, answer }) => {
      const isReleased = await releaseName(domainIn(params), by(session, body), context)
      if (!isReleased) throw new ApiError(404, literals.domainNotFound)
      return answer(200, done)
    },
    cancelJob: async ({ params: { id }, body, session, answer }) => {
      // Checked before the database query: PostgreSQL rejects strings that hold NUL.
      const isId = /^[0-9a-f-]{36}$/.test(id)
      const outcome = isId ? await cancelPublish(id, by(session, body), context) : null
      if (outcome === null) throw new ApiError(404, literals.jobNotFound)
      if (outcome === 'too-late') throw new ApiError(409, sentences.tooLateToCancel)
      if (outcome === 'ended') throw new ApiError(409, sentences.uploadEnded)
      return answer(200, done)
    },
  }
}

const purgeRunning = (): ApiError =>
  new ApiError(429, sentences.purgeRunning, { 'retry-after': String(purgeRetrySeconds) })

/** The administrator of this session, and the reason of the request. */
export const by = ({ username }: AdminSession, { reason }: { readonly reason: string }): By => ({
  actor: username,
  reason,
})

function siteIn(params: { readonly did: string; readonly rkey: string }): SiteAddress {
  const [did, name] = [parseDid(params.did), parseAnySiteName(params.rkey)]
  if (did === null || name === null) throw new ApiError(404, literals.siteNotFound)
  return { did, name }
}

function accountIn(params: { readonly did: string }): Did {
  const did = parseDid(params.did)
  if (did === null) throw new ApiError(404, sentences.unknownAccount)
  return did
}

function domainIn(params: { readonly domain: string }): string {
  const domain = foldDomain(params.domain)
  if (domain === null) throw new ApiError(404, literals.domainNotFound)
  return domain
}
