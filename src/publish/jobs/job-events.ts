import type { Log, LogFields } from '#observe/log.ts'
import type { Job } from '#store/queues/jobs.ts'

export type JobEvent = 'site published' | 'publishing failed' | 'job waits' | 'job cancelled'

/** Logs a job's event in one line, with its account, site and server. */
export function logJob(
  { log, level = 'info' }: { readonly log: Log; readonly level?: keyof Log },
  event: JobEvent,
  { job, server, ...fields }: LogFields & { readonly job: Job; readonly server: string | null },
): void {
  const { id: jobId, did, site } = job
  // Not known before the account's identity was read.
  log[level](event, { jobId, did, site, ...(server !== null && { server }), ...fields })
}
