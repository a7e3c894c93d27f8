/** The moments of a publish at which a test can kill the process, to see what a crash there leaves behind. */
export const failPoints = [
  'upload-received',
  'job-queued',
  'job-started',
  'before-uploads',
  'blob-uploaded',
  'blobs-uploaded',
  'before-commit',
  'parts-written',
  'main-written',
  'after-commit',
  'before-finish',
  'after-finish',
] as const

/** Fail points of a deploy until it is a job. */
export const deployPoints = [
  'deploy-file-spooled',
  'deploy-file-arrived',
  'deploy-committing',
] as const

/** Fail points of an account deletion. */
export const accountDeletionPoints = ['records-deleted', 'account-deleted'] as const

export type FailPoint =
  | (typeof failPoints)[number]
  | (typeof deployPoints)[number]
  | (typeof accountDeletionPoints)[number]

export type AtFailPoint = (point: FailPoint) => void
