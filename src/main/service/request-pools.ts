import { signInsBeginningMax, signInsCompletingMax } from '#api/contract/limits.ts'
import { detachedMaxDefault } from '#concurrency/lanes.ts'
import { syncsMax } from '#ingest/account-syncs.ts'
import { accountsAtOnce } from '#ingest/account-work.ts'
import { blobsAtOnce } from '#ingest/blobs/fetch-blobs.ts'
import { sitesAtOnce } from '#ingest/site-work.ts'
import { syncedSitesAtOnce } from '#ingest/sync-account.ts'
import { slowVersionsMax, versionsAtOnce } from '#ingest/version-work.ts'
import type { RequestPool } from '#outbound/safe-fetch.ts'
import { jobsAtOnceMax } from '#publish/jobs/jobs-at-once.ts'
import { uploadsAtOnce } from '#publish/upload-blobs.ts'
import { deliveriesAtOnce, ofHostAtOnce } from '#webhooks/run-deliveries.ts'

const readSitesMax = sitesAtOnce + detachedMaxDefault + syncsMax * syncedSitesAtOnce
const readVersionsMax = versionsAtOnce + slowVersionsMax

/**
 * The outgoing requests of each kind, past a semaphore of their own: what strangers start, or slow servers hold, takes no
 * permit of another kind (docs/adr/0043). Bun limits the requests of all threads together (256, or what bin/sitehost
 * sets): the sum must not be larger.
 */
export const requestPools = {
  /** Ingest: blobs and records of sites and versions, and identities. */
  sites: { requestsMax: blobsAtOnce * (readSitesMax + readVersionsMax) + 128 },
  /** Ingest: account checks, one request each, and identities. */
  accounts: { requestsMax: accountsAtOnce + detachedMaxDefault + 24 },
  /** Jobs, at their accounts' servers. A job uploads eight blobs at a time, and several jobs may use the same server. */
  jobs: {
    requestsMax: uploadsAtOnce * jobsAtOnceMax + 16,
    perHost: { max: 32, waitingMax: 1_000 },
  },
  /** Requests of accounts that are signed in, at these accounts' servers. */
  members: { requestsMax: 80, perHost: { max: 24, waitingMax: 200 } },
  /** Identities of jobs and of accounts that are signed in, and checks whether accounts are deleted. */
  identities: { requestsMax: 32, perHost: { max: 8, waitingMax: 100 }, directoryMax: 16 },
  /** Sign-ins, from the handle to the names of the account's sites; strangers name all that is asked. */
  signIns: {
    requestsMax: signInsBeginningMax + signInsCompletingMax,
    perHost: { max: 8, waitingMax: 16 },
    directoryMax: 16,
  },
  /** Keys of the issuers of CI jobs. */
  issuers: { requestsMax: 24, perHost: { max: 2, waitingMax: 8 } },
  /** Handles that visitors name (`INGEST=visited`). */
  discoveries: { requestsMax: 16, perHost: { max: 4, waitingMax: 16 } },
  /** To the bucket of the blobs, in both threads. */
  blobs: { requestsMax: 128 },
  /** To other instances, for what is in their spools. */
  instances: { requestsMax: 96 },
  /** Deliveries to webhooks. */
  webhooks: {
    requestsMax: deliveriesAtOnce,
    perHost: { max: ofHostAtOnce, waitingMax: ofHostAtOnce },
  },
} as const satisfies Readonly<Record<string, RequestPool>>
