/** Points of ingest at which a test may kill the process, to see what a crash leaves behind. */
export const ingestFailPoints = [
  'event-received',
  'event-queued',
  'cursor-stored',
  'account-taken',
  'account-status-changed',
  'account-sites-queued',
  'account-finished',
  'site-taken',
  'record-verified',
  'blob-stored',
  'blob-remembered',
  'blobs-fetched',
  'version-inserted',
  'pointer-swapped',
  'change-appended',
  'version-recorded',
  'site-removed',
  'site-finished',
  'version-taken',
  'version-kept',
  'version-removed',
  'version-finished',
  'garbage-marked',
  'garbage-deleted',
  'garbage-removed',
] as const

/** Points of forgetting a version. */
export const forgetPoints = ['forget-committed', 'forget-bytes-removed', 'forget-finished'] as const

export type ForgetPoint = (typeof forgetPoints)[number]

export type IngestFailPoint = (typeof ingestFailPoints)[number] | ForgetPoint

/** Called at each point, also inside a transaction. */
export type AtIngestPoint = (point: IngestFailPoint) => void
