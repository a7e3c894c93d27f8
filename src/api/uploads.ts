import { Hono } from 'hono'
import { AccountRepo } from '#atproto/account-repo.ts'
import { queueJob } from '#publish/jobs.ts'
import { publishEmptySite } from '#publish/publish-site.ts'
import { type ReceivedUpload, receiveUpload } from '#publish/receive-upload.ts'
import type { Did } from '#site/site-address.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import { findJob, findRunningJob } from '#store/jobs.ts'
import type { ApiContext } from './context.ts'
import { ApiError } from './errors.ts'
import { jobStream, StreamSlots } from './job-stream.ts'
import type { BrowserSessions } from './sessions.ts'
import { signedIn } from './signed-in.ts'
import type { ApiEnv } from './variables.ts'

/** `/sitehost/*`: uploads and their progress (interface.md §4.5). */
export function uploadRoutes(context: ApiContext, sessions: BrowserSessions): Hono<ApiEnv> {
  const { db, limits, spool } = context
  const routes = new Hono<ApiEnv>()
  const slots = new StreamSlots()
  routes.use(signedIn(sessions))

  routes.post('/upload-files', async (c) => {
    const { did } = c.var.session
    const { body } = c.req.raw
    if (body === null) throw new ApiError(400, 'body: expected multipart/form-data')
    const jobId = crypto.randomUUID()
    let isQueued = false
    try {
      const upload = await receiveUpload({
        body,
        contentType: c.req.header('content-type') ?? '',
        folder: await spool.open(jobId),
        limits,
        onSiteName: (siteName) => assertNotPublishing(did, siteName, context),
      })
      if (upload.isEmpty) return c.json(await publishEmpty(did, upload, context))
      await queue(jobId, did, upload, context)
      isQueued = true
    } finally {
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
    const job = await findJob(db, c.req.param('jobId'))
    if (job === null) return c.json({ error: 'Job not found' }, 404)
    if (job.did !== did) return c.json({ error: 'Unauthorized' }, 403)
    const release = slots.take(job.id, did)
    // Bun closes a connection that is silent for ten seconds.
    c.env.server?.timeout(c.req.raw, 0)
    return jobStream(job, context, { signal: c.req.raw.signal, release })
  })

  return routes
}

const alreadyRunning = 'This site is being published already. Wait until that has finished.'

async function assertNotPublishing(did: Did, siteName: string, { db }: ApiContext): Promise<void> {
  const running = await findRunningJob(db, did)
  if (running?.site === siteName) throw new ApiError(409, alreadyRunning)
}

async function queue(
  jobId: string,
  did: Did,
  upload: ReceivedUpload,
  context: ApiContext,
): Promise<void> {
  const admission = await queueJob(jobId, { did, name: upload.siteName }, upload, context)
  if (admission.created) return
  switch (admission.reason) {
    case 'same-site-running':
      throw new ApiError(409, alreadyRunning)
    case 'queue-full':
      throw new ApiError(429, 'Too many uploads are waiting. Try again when one has finished.', {
        'retry-after': '60',
      })
  }
}

async function publishEmpty(did: Did, { siteName }: ReceivedUpload, context: ApiContext) {
  const { db, hints, now, oauth } = context
  const address = { did, name: siteName }
  const repo = new AccountRepo(await oauth.session(did))
  const { uri, cid } = await publishEmptySite(address, repo, now())
  await enqueueIngest(db, [address], now())
  hints.notify('ingest')
  return { success: true, uri, cid, fileCount: 0, siteName }
}
