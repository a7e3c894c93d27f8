export interface RememberedJob {
  readonly jobId: string
  readonly siteName: string
}

/**
 * The jobs that this browser began and has not shown the end of, the newest last: a page that is opened later
 * can watch and cancel them. Some may be of another account that was signed in here.
 */
export function rememberedJobs(storage: Storage = localStorage): RememberedJob[] {
  const lines = storage.getItem(key)?.split('\n') ?? []
  return lines.map((line) => {
    const [jobId = '', siteName = ''] = line.split(' ')
    return { jobId, siteName }
  })
}

export function rememberJob(job: RememberedJob, storage: Storage = localStorage): void {
  store([...rememberedJobs(storage), job].slice(-rememberedJobsMax), storage)
}

export function forgetJob(jobId: string, storage: Storage = localStorage): void {
  const others = rememberedJobs(storage).filter((job) => job.jobId !== jobId)
  store(others, storage)
}

/** A line each; neither an id nor a site's name has spaces. */
function store(jobs: readonly RememberedJob[], storage: Storage): void {
  if (jobs.length === 0) storage.removeItem(key)
  else storage.setItem(key, jobs.map(({ jobId, siteName }) => `${jobId} ${siteName}`).join('\n'))
}

const key = 'publishing'
// Each is a stream, and without HTTP/2 a browser has six connections to a server.
const rememberedJobsMax = 4
