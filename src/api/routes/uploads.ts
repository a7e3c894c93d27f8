import type { HandlersOf } from '#api/bind-routes.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { uploadsArrivingMax } from '#api/contract/limits.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import type { PayloadAt } from '#api/contract/route.ts'
import type { uploadRoutes } from '#api/contract/uploads.ts'
import { ApiError, interrupted, restarting } from '#api/errors.ts'
import { headOfStream } from '#api/head-length.ts'
import type { BrowserSessions } from '#api/session/sessions.ts'
import { UnpackSlots } from '#api/unpack-slots.ts'
import { cancelJob } from '#publish/jobs/cancel-job.ts'
import { queueJob } from '#publish/jobs/queue-job.ts'
import { spoolOwnerOf } from '#publish/jobs/spool-owner.ts'
import { receiveUpload } from '#publish/upload/receive-upload.ts'
import { smallUploadBytesMax } from '#publish/upload/spool-shares.ts'
import { UploadArrival } from '#publish/upload/upload-arrival.ts'
import { connectionIdleSeconds, type SiteLimits } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { uploadBytesMax, uploadTooLarge } from '#site/upload/upload-refusal.ts'
import { countUpload } from '#store/queues/begun-uploads.ts'
import { findJob, type Job } from '#store/queues/jobs.ts'
import { findQuotaProblem } from '#store/sites/account-quota.ts'
import { assertAdmissible, refusalOf, tooManyToday } from './job-admission.ts'
import { jobStream, streamHeaders } from './job-stream.ts'
import { publishEmpty } from './publish-empty.ts'
import { recordRefusedUpload, type UploadOrigin } from './record-refused-upload.ts'

const streamsPerJobMax = 4
const streamsPerAccountMax = 8
/** Between two looks at a job that another instance runs; that instance says when there is news, if wake-ups are shared. */
const elsewhereMs = { alone: 500, shared: 5_000 }

/** `/sitehost/*`: uploads and their progress (interface.md §4.5). */
export function uploadHandlers(
  context: ApiContext,
  sessions: Pick<BrowserSessions, 'lasts'>,
): HandlersOf<typeof uploadRoutes> {
  const tooManyStreams = { sentence: sentences.streamsOpen, retryAfterSeconds: 5 }
  const streamsOfJob = new ConcurrencyLimit({ max: streamsPerJobMax, ...tooManyStreams })
  const streamsOfAccount = new ConcurrencyLimit({ max: streamsPerAccountMax, ...tooManyStreams })
  const receiving = new ConcurrencyLimit({
    max: uploadsArrivingMax,
    sentence: sentences.uploadsArriving,
    retryAfterSeconds: 10,
  })
  const unpacking = new UnpackSlots()
  return {
    uploadFiles: async ({ session: { did }, confirmSession, answer, c }) => {
      if (context.shutdown.begun.aborted) throw restarting()
      const origin: UploadOrigin = { did }
      const { server } = c.env
      // Bun closes connections below 16 KiB/s without an answer; we have our own minimum, with an answer.
      server?.timeout(c.req.raw, 0)
      try {
        using _ = await receiving.acquire(did)
        const within = { ...context, confirmSession, unpacking }
        return answer(200, await receive(origin, c.req.raw, within))
      } catch (error) {
        recordRefusedUpload(context.log, origin, error)
        throw error
      } finally {
        server?.timeout(c.req.raw, connectionIdleSeconds)
      }
    },

    followUpload: async ({ params, session: { did }, answer, c }) => {
      const job = await ownJob(params.jobId, did, context)
      // Hono drops the body of an answer to HEAD without cancelling it, so the slot would never be released.
      if (c.req.method === 'HEAD') return answer(200, headOfStream(streamHeaders))
      using acquired = new DisposableStack()
      acquired.use(await streamsOfJob.acquire(job.id))
      acquired.use(await streamsOfAccount.acquire(did))
      const permits = acquired.move()
      // Clients reconnect, to the next process.
      const signal = AbortSignal.any([c.req.raw.signal, context.shutdown.begun])
      // Bun closes a connection that is silent for ten seconds.
      c.env.server?.timeout(c.req.raw, 0)
      // A page that is left open does not keep its session alive.
      const isSignedIn = () => sessions.lasts(c.req.raw.headers)
      const release = () => permits.dispose()
      const isHere = job.instance === context.spool.instance
      const lookEveryMs = context.wakeUps.areShared ? elsewhereMs.shared : elsewhereMs.alone
      const options = { signal, isSignedIn, release, ...(!isHere && { lookEveryMs }) }
      return answer(200, jobStream(job, context, options))
    },

    cancelUpload: async ({ params, session, answer }) => {
      const job = await ownJob(params.jobId, session.did, context)
      switch (await cancelJob(job, context)) {
        case 'cancelled':
          return answer(200, { success: true })
        case 'too-late':
          throw new ApiError(409, sentences.tooLateToCancel)
        case 'ended':
          throw new ApiError(409, sentences.uploadEnded)
      }
    },
  }
}

type Received = PayloadAt<(typeof uploadRoutes)['uploadFiles'], 200>

/** Spools an upload and creates a job; publishes an empty site immediately. */
async function receive(
  origin: UploadOrigin,
  request: Request,
  context: ApiContext & {
    readonly confirmSession: () => Promise<void>
    readonly unpacking: UnpackSlots
  },
): Promise<Received> {
  const { did } = origin
  const { confirmSession, limits, shutdown, spool, unpacking } = context
  const { body, headers, signal } = request
  if (body === null) throw new ApiError(400, sentences.noForm)
  const jobId = crypto.randomUUID()
  let isQueued = false
  try {
    const declaredBytes = declaredBytesOf(headers, limits)
    const isSmall = declaredBytes <= smallUploadBytesMax
    // While an upload waits for the database, Bun takes a megabyte of it into memory: for small ones, whose admission
    // does not depend on the answer, there is no query.
    const owner = isSmall
      ? { owner: did, isNewcomer: false, server: undefined }
      : await spoolOwnerOf(context.db, did)
    const arrival = new UploadArrival()
    const admission = await spool.admit(jobId, Math.min(declaredBytes, limits.siteBytesMax), {
      ...owner,
      isSmall,
      arrival,
    })
    await using folder = await spool.open(jobId)
    const upload = await receiveUpload({
      body,
      contentType: headers.get('content-type') ?? '',
      folder,
      limits,
      arrival,
      onArrived: admission.arrived,
      onSiteName: (siteName) => {
        origin.site = siteName
        return assertAdmissible({ did, name: siteName }, context)
      },
      unpackSlot: () => unpacking.take(did, AbortSignal.any([signal, shutdown.lastCall])),
      onUnpack: async (bytes) => admission.atLeast(bytes, await spoolOwnerOf(context.db, did)),
      signal: shutdown.lastCall,
    }).catch((error) => {
      if (signal.aborted && error === signal.reason) throw new ApiError(400, sentences.senderGone)
      throw shutdown.lastCall.aborted ? interrupted() : error
    })
    context.at('upload-received')
    if (upload.isEmpty) {
      await confirmSession()
      const uploadsMax = await countUpload(context.db, did, { limits, now: context.now() })
      if (uploadsMax !== null) throw tooManyToday(uploadsMax)
      return await publishEmpty(did, upload, context, signal)
    }
    const site = { did, name: upload.siteName }
    const bytes = upload.files.reduce((sum, file) => sum + file.bytes, 0)
    const problem = await findQuotaProblem(context.db, site, bytes, limits)
    if (problem !== null) throw new ApiError(413, problem)
    // Reserves the actual size in place of the largest possible one.
    await spool.receive(jobId, bytes, await spoolOwnerOf(context.db, did))
    // An upload may take hours: its owner may have ended the session in the meantime.
    await confirmSession()
    // A client that disconnected never learns the job id, so it could not cancel the job.
    if (signal.aborted) throw new ApiError(400, sentences.senderGone)
    const admitted = await queueJob(jobId, site, upload, context)
    if (!admitted.created) throw refusalOf(admitted)
    isQueued = true
    context.at('job-queued')
  } finally {
    if (!isQueued) await spool.remove(jobId)
  }
  const message =
    `Upload started. Connect to /sitehost/upload-progress/${jobId} to follow it.` as const
  return { success: true, jobId, message }
}

/** The declared content length, or the largest permitted. Throws UploadRefusedError above that. */
function declaredBytesOf(headers: Headers, limits: SiteLimits): number {
  const declared = headers.get('content-length')
  const bytesMax = uploadBytesMax(limits)
  if (declared === null) return bytesMax
  if (Number(declared) > bytesMax) throw uploadTooLarge(limits)
  return Number(declared)
}

/** Throws ApiError 404 for a job that does not exist, 403 for another account's. */
async function ownJob(jobId: string, did: Did, { db }: ApiContext): Promise<Job> {
  // Checked before the database query: PostgreSQL rejects strings that hold NUL.
  const job = /^[0-9a-f-]{36}$/.test(jobId) ? await findJob(db, jobId) : null
  if (job === null) throw new ApiError(404, literals.jobNotFound)
  if (job.did !== did) throw new ApiError(403, literals.unauthorized)
  return job
}
