import { Hono } from 'hono'
import { AccountRepo } from '#atproto/account-repo.ts'
import { cancelJob, queuedJobsMax, queueJob } from '#publish/jobs.ts'
import { publishEmptySite } from '#publish/publish-site.ts'
import {
  type ReceivedUpload,
  receiveUpload,
  uploadBytesMax,
  uploadTooLarge,
} from '#publish/receive-upload.ts'
import type { UploadLimits } from '#publish/upload-tree.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import { findJob, type Job, type JobAdmission, listUnfinishedSites } from '#store/jobs.ts'
import type { ApiContext } from './context.ts'
import { ApiError } from './errors.ts'
import { jobStream, StreamSlots, streamHeaders } from './job-stream.ts'
import type { BrowserSessions } from './sessions.ts'
import { signedIn } from './signed-in.ts'
import type { ApiEnv } from './variables.ts'

/** `/sitehost/*`: uploads and their progress (interface.md §4.5). */
export function uploadRoutes(context: ApiContext, sessions: BrowserSessions): Hono<ApiEnv> {
  const { limits, spool } = context
  const routes = new Hono<ApiEnv>()
  const slots = new StreamSlots()
  const receiving = new Receiving()
  routes.use(signedIn(sessions))

  routes.post('/upload-files', async (c) => {
    const { did } = c.var.session
    const { body } = c.req.raw
    if (body === null) throw new ApiError(400, 'body: expected multipart/form-data')
    const jobId = crypto.randomUUID()
    const leave = receiving.enter(did)
    let isQueued = false
    try {
      await spool.reserve(jobId, admittedBytes(c.req.raw.headers, limits), did)
      await using folder = await spool.open(jobId)
      const upload = await receiveUpload({
        body,
        contentType: c.req.header('content-type') ?? '',
        folder,
        limits,
        onSiteName: (siteName) => assertAdmissible(did, siteName, context),
        onUnpack: (bytes) => spool.reserve(jobId, bytes, did),
      })
      context.at('upload-received')
      if (upload.isEmpty) return c.json(await publishEmpty(did, upload, context, c.req.raw.signal))
      // What arrived, in place of what it might have become.
      await spool.hold(jobId, totalBytes(upload), did)
      await queue(jobId, did, upload, context)
      isQueued = true
      context.at('job-queued')
    } finally {
      leave()
      if (!isQueued) await spool.remove(jobId)
    }
    return c.json({
      success: true,
      jobId,
      message: `Upload started. Connect to /sitehost/upload-progress/${jobId} to follow it.`,
    })
  })

  routes.get('/upload-progress/:jobId', async (c) => {
    const { did } = c.var.session
    const job = await ownJob(c.req.param('jobId'), did, context)
    // Hono drops the body of an answer to HEAD without a word to it: nobody would give the slot back.
    if (c.req.method === 'HEAD') return c.body(null, 200, streamHeaders)
    const release = slots.take(job.id, did)
    // Bun closes a connection that is silent for ten seconds.
    c.env.server?.timeout(c.req.raw, 0)
    return jobStream(job, context, { signal: c.req.raw.signal, release })
  })

  routes.delete('/upload-progress/:jobId', async (c) => {
    const job = await ownJob(c.req.param('jobId'), c.var.session.did, context)
    switch (await cancelJob(job, context)) {
      case 'cancelled':
        return c.json({ success: true })
      case 'too-late':
        throw new ApiError(409, 'Too late to cancel: the site is being written already.')
      case 'ended':
        throw new ApiError(409, 'This upload has ended already.')
    }
  })

  return routes
}

const receivedAtOnceMax = 5

/** Counts the uploads that arrive, so that no account takes everybody's room. */
class Receiving {
  readonly #counts = new Map<string, number>()

  /** Returns the function to call when the upload has ended. Throws ApiError 429. */
  enter(did: string): () => void {
    const count = this.#counts.get(did) ?? 0
    if (count >= receivedAtOnceMax) {
      throw new ApiError(429, 'Five uploads of yours arrive already. Wait until one has ended.', {
        'retry-after': '10',
      })
    }
    this.#counts.set(did, count + 1)
    return () => {
      const left = (this.#counts.get(did) ?? 1) - 1
      if (left === 0) this.#counts.delete(did)
      else this.#counts.set(did, left)
    }
  }
}

const totalBytes = ({ files }: ReceivedUpload): number =>
  files.reduce((sum, file) => sum + file.bytes, 0)

/**
 * The bytes to set room aside for: what the request says, and for one that does not say as much as it may
 * become. Throws UploadRefusedError for a request that says too much.
 */
function admittedBytes(headers: Headers, limits: UploadLimits): number {
  const declared = headers.get('content-length')
  if (declared === null) return limits.siteBytesMax
  if (Number(declared) > uploadBytesMax(limits)) throw uploadTooLarge(limits)
  return Math.min(Number(declared), limits.siteBytesMax)
}

/** Throws ApiError 404 for a job that does not exist, 403 for another account's. */
async function ownJob(jobId: string, did: Did, { db }: ApiContext): Promise<Job> {
  // Nothing else may reach the database: PostgreSQL throws at text that holds NUL.
  const job = /^[0-9a-f-]{36}$/.test(jobId) ? await findJob(db, jobId) : null
  if (job === null) throw new ApiError(404, 'Job not found')
  if (job.did !== did) throw new ApiError(403, 'Unauthorized')
  return job
}

/** Refuses early what `queue` would refuse once the whole upload has arrived. */
async function assertAdmissible(did: Did, siteName: SiteName, { db }: ApiContext): Promise<void> {
  const sites = await listUnfinishedSites(db, did)
  if (sites.includes(siteName)) throw refusals['same-site-running']()
  if (sites.length > queuedJobsMax) throw refusals['queue-full']()
}

async function queue(
  jobId: string,
  did: Did,
  upload: ReceivedUpload,
  context: ApiContext,
): Promise<void> {
  const admission = await queueJob(jobId, { did, name: upload.siteName }, upload, context)
  if (!admission.created) throw refusals[admission.reason]()
}

type Refusal = Extract<JobAdmission, { created: false }>['reason']

const refusals: Record<Refusal, () => ApiError> = {
  'same-site-running': () =>
    new ApiError(409, 'This site is being published already. Wait until that has finished.'),
  'queue-full': () =>
    new ApiError(429, 'Too many uploads are waiting. Try again when one has finished.', {
      'retry-after': '60',
    }),
}

async function publishEmpty(
  did: Did,
  { siteName }: ReceivedUpload,
  context: ApiContext,
  signal: AbortSignal,
) {
  const { at, db, hints, now, oauth } = context
  const address = { did, name: siteName }
  const repo = new AccountRepo(did, oauth.session)
  const { uri, cid } = await publishEmptySite(address, { repo, now, at, signal })
  await enqueueIngest(db, [address], now())
  hints.notify('ingest')
  return { success: true, uri, cid, fileCount: 0, siteName }
}
