import type { ApiContext } from '#api/context.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { type Pause, withinTime } from '#publish/server-patience.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { parseAnySiteName, parseSiteName, type SiteName } from '#site/site-name.ts'
import { listUnfinishedSites } from '#store/queues/jobs.ts'

/** Throws ApiError 404 for what no site of our network can be called. */
export function siteNameOf(rkey: string): SiteName {
  const name = parseSiteName(rkey)
  if (name !== null) return name
  throw parseAnySiteName(rkey) === null
    ? siteNotFound()
    : new ApiError(404, sentences.siteOfOtherNetwork)
}

export const siteNotFound = (): ApiError => new ApiError(404, literals.siteNotFound)

/** A running job would write the site again, or miss the blobs deleted with it. Throws ApiError 409. */
export async function assertNotPublishing(
  { did, name }: SiteAddress,
  { db }: Pick<ApiContext, 'db'>,
): Promise<void> {
  if ((await listUnfinishedSites(db, did)).includes(name)) {
    throw new ApiError(409, sentences.beingPublished)
  }
}

export interface AtServer {
  readonly repo: AccountRepo
  readonly pause: Pause | undefined
  readonly signal: AbortSignal
}

/** Limits the time of all calls to the account's server for one request. */
export const atServer = <T>(
  did: Did,
  operation: string,
  { oauth, operationMsMax, pause }: Pick<ApiContext, 'oauth' | 'operationMsMax' | 'pause'>,
  work: (server: AtServer) => Promise<T>,
): Promise<T> =>
  withinTime(
    operation,
    (signal) => work({ pause, signal, repo: new AccountRepo(did, oauth.session, { signal }) }),
    operationMsMax,
  )
