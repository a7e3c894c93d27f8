import type { ApiContext } from '#api/context.ts'
import { sentences, takenDownSentence } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { queuedJobsMax } from '#publish/jobs/queue-job.ts'
import { accountSitesMax, overAccountSites, overUploadsPerDay } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { limitsOfAccount } from '#store/moderation/account-limits.ts'
import { findTakedown } from '#store/moderation/takedowns.ts'
import { reachedUploadLimit } from '#store/queues/begun-uploads.ts'
import { type JobAdmission, listUnfinishedSites } from '#store/queues/jobs.ts'
import { listPresentNames, listSiteNames } from '#store/sites/sites.ts'

type AdmissionContext = Pick<ApiContext, 'db' | 'limits' | 'now'>

/**
 * Rejects early what `queueJob` would reject once the whole upload has arrived, and what `assertMayHave` rejects.
 */
export async function assertAdmissible(
  site: SiteAddress,
  context: AdmissionContext,
): Promise<void> {
  const sites = await listUnfinishedSites(context.db, site.did)
  if (sites.includes(site.name)) throw refusals['same-site-running']()
  if (sites.length > queuedJobsMax) throw refusals['queue-full']()
  await assertMayHave(site, sites, context)
}

/**
 * Rejects a site above the limit of its account, sites in unfinished jobs (`unfinished`) included: ingest would not take
 * it. Also a site that is taken down: nobody would see it. And uploads beyond the account's daily limit.
 */
export async function assertMayHave(
  { did, name: siteName }: SiteAddress,
  unfinished: readonly SiteName[],
  { db, limits, now }: AdmissionContext,
): Promise<void> {
  const takedown = await findTakedown(db, { did, name: siteName })
  if (takedown !== null) throw new ApiError(403, takenDownSentence(takedown))
  const known = new Set([...(await listSiteNames(db, did)), ...unfinished])
  if (known.size >= accountSitesMax && !known.has(siteName)) {
    throw new ApiError(403, sentences.siteLimit)
  }
  const { accountSitesMax: sitesMax } = await limitsOfAccount(db, did, limits)
  const present = new Set([...(await listPresentNames(db, did)), ...unfinished])
  if (sitesMax !== undefined && present.size >= sitesMax && !present.has(siteName)) {
    throw new ApiError(403, overAccountSites(sitesMax))
  }
  const uploadsMax = await reachedUploadLimit(db, did, { limits, now: now() })
  if (uploadsMax !== null) throw tooManyToday(uploadsMax)
}

type Refusal = Extract<JobAdmission, { created: false }>

export const refusalOf = (refusal: Refusal): ApiError =>
  refusal.reason === 'daily-limit' ? tooManyToday(refusal.uploadsMax) : refusals[refusal.reason]()

export const tooManyToday = (uploadsMax: number): ApiError =>
  new ApiError(429, overUploadsPerDay(uploadsMax), { 'retry-after': '3600' })

const refusals: Record<Exclude<Refusal['reason'], 'daily-limit'>, () => ApiError> = {
  'same-site-running': () => new ApiError(409, sentences.publishedAlready),
  'queue-full': () => new ApiError(429, sentences.uploadsWaiting, { 'retry-after': '60' }),
}
