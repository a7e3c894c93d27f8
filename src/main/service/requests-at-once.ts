import { detachedMaxDefault } from '#concurrency/lanes.ts'
import { syncsMax } from '#ingest/account-syncs.ts'
import { accountsAtOnce } from '#ingest/account-work.ts'
import { blobsAtOnce } from '#ingest/blobs/fetch-blobs.ts'
import { sitesAtOnce } from '#ingest/site-work.ts'
import { syncedSitesAtOnce } from '#ingest/sync-account.ts'
import { slowVersionsMax, versionsAtOnce } from '#ingest/version-work.ts'
import { jobsAtOnceMax } from '#publish/jobs/jobs-at-once.ts'
import { uploadsAtOnce } from '#publish/upload-blobs.ts'
import { deliveriesAtOnce } from '#webhooks/run-deliveries.ts'

const readSitesMax = sitesAtOnce + detachedMaxDefault + syncsMax * syncedSitesAtOnce
const readVersionsMax = versionsAtOnce + slowVersionsMax

/**
 * Maximum of open requests of each kind. Bun limits the requests of all threads together (256, or what bin/sitehost
 * sets): if the sum were larger, slow servers of one kind would block the other kinds.
 */
export const requestsAtOnce = {
  /** Ingest: blobs and records of sites and versions, and identities. */
  sites: blobsAtOnce * (readSitesMax + readVersionsMax) + 128,
  /** Ingest: account checks, one request each, and identities. */
  accounts: accountsAtOnce + detachedMaxDefault + 24,
  /** Publishing and sign-in. */
  repos: uploadsAtOnce * jobsAtOnceMax + 96,
  /** To the bucket of the blobs, in both threads. */
  blobs: 128,
  /** To other instances, for what is in their spools. */
  instances: 96,
  /** Deliveries to webhooks. */
  webhooks: deliveriesAtOnce,
  /** All other requests on behalf of users. */
  application: 128,
} as const
