import type { HandlersOf } from '#api/bind-routes.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import type { foreignSiteRoutes } from '#api/contract/foreign-sites.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError, restarting } from '#api/errors.ts'
import { queueBringOver } from '#publish/jobs/queue-job.ts'
import type { SiteAddress } from '#site/site-address.ts'
import {
  isForeignName,
  namespaceOf,
  parseAnySiteName,
  parseSiteName,
  recordKeyOf,
  type SiteName,
} from '#site/site-name.ts'
import { listTakedowns } from '#store/moderation/takedowns.ts'
import { listCustomDomains } from '#store/names/custom-domains.ts'
import { listSubdomains } from '#store/names/subdomains.ts'
import { listUnreadSites } from '#store/queues/unread.ts'
import { findQuotaProblem } from '#store/sites/account-quota.ts'
import { findCopies } from '#store/sites/copies.ts'
import { findSite, listPresentNames, listSites } from '#store/sites/sites.ts'
import { siteDomainRows } from './domains/domain-rows.ts'
import { assertAdmissible, refusalOf } from './job-admission.ts'
import { siteNotFound } from './own-site.ts'
import { siteRow } from './site-row.ts'
import { stateOf, takedownProblems } from './site-state.ts'

/** Per account, which may have a thousand sites. */
const listsAtOnceMax = 4

/** `/api/user/foreign-sites`: the account's sites of other networks, which can only be read here. */
export function foreignSiteHandlers(context: ApiContext): HandlersOf<typeof foreignSiteRoutes> {
  const { db } = context
  const listing = new ConcurrencyLimit({
    max: listsAtOnceMax,
    sentence: sentences.listsBusy,
    retryAfterSeconds: 2,
  })
  return {
    listForeignSites: async ({ session: { did }, answer }) => {
      using _ = await listing.acquire(did)
      const sites = (await listSites(db, did)).filter(({ name }) => isForeignName(name))
      if (sites.length === 0) return answer(200, { sites: [] })
      const copies = await findCopies(db, did)
      const failed = new Map((await listUnreadSites(db, did)).map((item) => [item.name, item]))
      const takedowns = await listTakedowns(db, did)
      const subdomains = await listSubdomains(db, did)
      const customDomains = await listCustomDomains(db, did)
      const rows = sites.map((site) => {
        const unread = failed.get(site.name)
        const {
          createdAt: _,
          updatedAt: __,
          verifiedAt: ___,
          ...row
        } = siteRow(site, unread, context)
        const takenDown = takedownProblems(site, takedowns)
        const isTakenDown = takenDown.length > 0
        const rkey = recordKeyOf(site.name)
        return {
          ...row,
          name: site.name,
          network: namespaceOf(site.name).name,
          rkey,
          displayName: rkey,
          state: stateOf(site, { isTakenDown, isUnread: unread !== undefined }),
          problems: [...takenDown, ...row.problems],
          domains: siteDomainRows(site.name, subdomains, customDomains),
          copy: copies.get(site.name) ?? null,
        }
      })
      return answer(200, { sites: rows })
    },

    bringOver: async ({ body, session: { did }, answer }) => {
      const { site, from } = await readRequest(did, body, context)
      return answer(200, {
        success: true,
        jobId: await queue(site, from, context),
        rkey: site.name,
      })
    },
  }
}

/** Throws ApiError. */
async function readRequest(
  did: SiteAddress['did'],
  body: { readonly name: string; readonly rkey?: string | undefined },
  { db, limits }: ApiContext,
): Promise<{ site: SiteAddress; from: SiteName }> {
  const from = parseAnySiteName(body.name)
  if (from === null || !isForeignName(from)) throw siteNotFound()
  const name = parseSiteName(body.rkey ?? recordKeyOf(from))
  if (name === null) throw new ApiError(400, sentences.badSiteName)
  const foreign = await findSite(db, { did, name: from })
  if (foreign === null) throw siteNotFound()
  const site = { did, name }
  const isTaken = (await listPresentNames(db, did, [name])).length > 0
  if (isTaken) throw new ApiError(409, sentences.siteNameTaken)
  const problem = await findQuotaProblem(db, site, foreign.live?.bytes ?? 0, limits)
  if (problem !== null) throw new ApiError(413, problem)
  return { site, from }
}

/** Returns the job's id. Throws ApiError. */
async function queue(site: SiteAddress, from: SiteName, context: ApiContext): Promise<string> {
  const { shutdown, spool } = context
  if (shutdown.begun.aborted) throw restarting()
  await assertAdmissible(site, context)
  const jobId = crypto.randomUUID()
  let isQueued = false
  try {
    await using _ = await spool.open(jobId)
    const admitted = await queueBringOver(jobId, site, { from }, context)
    if (!admitted.created) throw refusalOf(admitted)
    isQueued = true
  } finally {
    if (!isQueued) await spool.remove(jobId)
  }
  return jobId
}
