import type { HandlersOf } from '#api/bind-routes.ts'
import { readJson } from '#api/body.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { settingsJsonBytesMax } from '#api/contract/limits.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import type { siteRoutes } from '#api/contract/site.ts'
import { ApiError } from '#api/errors.ts'
import { foldDomain } from '#domains/domain-name.ts'
import { hasTag } from '#http/conditions.ts'
import { recordEvent } from '#observe/events.ts'
import { deleteSite } from '#publish/delete-site.ts'
import { readSettings, writeSettings } from '#publish/site-settings.ts'
import { parseSettings } from '#site/record/settings.ts'
import { findUnusablePath } from '#site/rules/header-rules.ts'
import { unmapSite } from '#store/names/hosts.ts'
import { type PrimaryOutcome, setPrimaryDomain } from '#store/names/primary-domain.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { domainNotFound, ownSite } from './domains/domain-mapping.ts'
import { explainAddress } from './explain-address.ts'
import { assertNotPublishing, atServer, siteNameOf, siteNotFound } from './own-site.ts'
import { readVisits } from './site-visits.ts'

/** Per account: each compiles all rules of a site. */
const explainedAtOnceMax = 2

/** Per account: each may add up some ten thousand rows. */
const visitsReadAtOnceMax = 2

/** `/api/site/*`: deleting the account's own sites, and their settings (interface.md §4.4). */
export function siteHandlers(context: ApiContext): HandlersOf<typeof siteRoutes> {
  const { db, wakeUps, log, now } = context
  const explaining = new ConcurrencyLimit({
    max: explainedAtOnceMax,
    sentence: sentences.listsBusy,
    retryAfterSeconds: 1,
  })
  const reading = new ConcurrencyLimit({
    max: visitsReadAtOnceMax,
    sentence: sentences.listsBusy,
    retryAfterSeconds: 1,
  })
  return {
    choosePrimary: async ({ params, body, session: { did }, answer }) => {
      const name = await ownSite(db, did, params.rkey)
      const domain = body.domain === null ? null : foldDomain(body.domain)
      if (body.domain !== null && domain === null) throw domainNotFound()
      const outcome = await setPrimaryDomain(db, { did, name }, domain, now())
      if (outcome !== 'set') throw refusals[outcome]()
      wakeUps.notify('changes')
      log.info('primary address chosen', { did, site: name, host: domain })
      return answer(200, { success: true })
    },

    deleteSite: async ({ params, session: { did }, answer }) => {
      const site = { did, name: siteNameOf(params.rkey) }
      await assertNotPublishing(site, context)
      const isDeleted = await atServer(did, 'delete site', context, (server) =>
        deleteSite(site, { ...context, ...server }),
      )
      // Also without a site: an earlier attempt may have deleted it and then failed.
      await unmapSite(db, site, now())
      wakeUps.notify('changes')
      if (!isDeleted) throw siteNotFound()
      recordEvent(log, 'site_deleted', { did, site: site.name })
      return answer(200, { success: true, message: literals.siteDeleted })
    },

    explainAddress: async ({ params, query, session: { did }, answer }) => {
      using _ = await explaining.acquire(did)
      const site = { did, name: siteNameOf(params.rkey) }
      return answer(200, await explainAddress(site, query.address, context))
    },

    readVisits: async ({ params, query, session: { did }, answer }) => {
      using _ = await reading.acquire(did)
      const name = await ownSite(db, did, params.rkey)
      return answer(200, await readVisits({ did, name }, query.days, context))
    },

    readSettings: async ({ c, params, session, answer }) => {
      const name = siteNameOf(params.rkey)
      const { record, cid } = await atServer(session.did, 'read settings', context, (server) =>
        readSettings(name, { ...server, now }),
      )
      c.header('etag', settingsTag(cid))
      return answer(200, record as Record<string, unknown>)
    },

    writeSettings: async ({ params, session: { did }, confirmSession, answer, c }) => {
      const name = siteNameOf(params.rkey)
      const parsed = parseSettings(await readJson(c.req.raw, { bytesMax: settingsJsonBytesMax }))
      if (!parsed.ok) throw new ApiError(400, parsed.error)
      const unusable = findUnusablePath(parsed.settings.headers ?? [])
      if (unusable !== null) throw new ApiError(400, unusable)
      await confirmSession()
      const ifMatch = c.req.header('if-match')
      const isExpected = (cid: string | null): boolean =>
        ifMatch === undefined || hasTag(ifMatch, settingsTag(cid), 'strong')
      const written = await atServer(did, 'write settings', context, (server) =>
        writeSettings(name, parsed.settings, { ...server, now }, isExpected),
      )
      if (written === null) throw siteNotFound()
      await enqueueSites(context, [{ did, name }])
      return answer(200, { success: true, uri: written.uri, cid: written.cid })
    },
  }
}

/** Of the settings as the repository has them; a server that does not say which record it sent has one tag for all. */
const settingsTag = (cid: string | null): string => `"${cid ?? 'none'}"`

const refusals: Record<Exclude<PrimaryOutcome, 'set'>, () => ApiError> = {
  'not-found': domainNotFound,
  'not-verified': () => new ApiError(400, sentences.primaryUnverified),
  'leads-elsewhere': () => new ApiError(400, sentences.primaryElsewhere),
}
