/** The moments of a publish at which a test may end the process, to see what a crash there leaves behind. */
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

/** Fail points of an account deletion. */
export const leavingPoints = ['records-deleted', 'account-left'] as const

export type FailPoint = (typeof failPoints)[number] | (typeof leavingPoints)[number]

/** Called at each of them. */
export type AtFailPoint = (point: FailPoint) => void
