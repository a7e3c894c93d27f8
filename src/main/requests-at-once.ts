/**
 * How many requests each way out may have open. Bun sends only so many in all, for all threads together (256, or what
 * bin/sitehost sets): if these were more, slow servers that one of them waits for would keep the others waiting too.
 */
export const requestsAtOnce = {
  /** Ingest: four blobs for each of 64 sites (half of them aside) and of 32 that are synced, and who has them. */
  sites: 512,
  /** Ingest: whether accounts are still there, one for each of 40 (32 of them aside). */
  accounts: 64,
  /** Publishing: eight for each of 16 jobs; and signing in. */
  repos: 224,
  /** Everything else that is asked for by people. */
  application: 128,
} as const
