import { detachedMaxDefault } from '#concurrency/lanes.ts'
import { syncsMax } from '#ingest/account-syncs.ts'
import { accountsAtOnce } from '#ingest/account-work.ts'
import { blobsAtOnce } from '#ingest/blobs/fetch-blobs.ts'
import { sitesAtOnce } from '#ingest/site-work.ts'
import { syncedSitesAtOnce } from '#ingest/sync-account.ts'
import { jobsAtOnceMax } from '#publish/jobs/jobs.ts'
import { uploadsAtOnce } from '#publish/upload-blobs.ts'

const readSitesMax = sitesAtOnce + detachedMaxDefault + syncsMax * syncedSitesAtOnce

/**
 * How many requests each way out may have open. Bun sends only so many in all, for all threads together (256, or what
 * bin/sitehost sets): if these were more, slow servers that one of them waits for would keep the others waiting too.
 */
export const requestsAtOnce = {
  /** Ingest: the blobs of sites, and who has them. */
  sites: blobsAtOnce * readSitesMax + 128,
  /** Ingest: whether accounts are still there, one for each, and who has them. */
  accounts: accountsAtOnce + detachedMaxDefault + 24,
  /** Publishing; and signing in. */
  repos: uploadsAtOnce * jobsAtOnceMax + 96,
  /** Everything else that is asked for by people. */
  application: 128,
} as const
