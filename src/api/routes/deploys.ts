import type { HandlersOf } from '#api/bind-routes.ts'
import { parse, readJson } from '#api/body.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { deployBody } from '#api/contract/deploy-body.ts'
import type { deployRoutes } from '#api/contract/deploys.ts'
import { deployFilesAtOnce, deployJsonBytesMax, openDeploysMax } from '#api/contract/limits.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import { DeploySlots } from '#api/deploy-slots.ts'
import { ApiError, interrupted, restarting } from '#api/errors.ts'
import { assertMayDeploy, type Deployer } from '#api/session/deployers.ts'
import type { OAuth } from '#atproto/oauth/oauth.ts'
import { admitDeclared } from '#publish/deploy/declared-files.ts'
import { prepareDeploy, type Unprepared } from '#publish/deploy/prepare-deploy.ts'
import { hostOf } from '#publish/jobs/spool-owner.ts'
import {
  noPreviewScopeSentence,
  overPreviewQuotaSentence,
  versionScope,
} from '#publish/new-version.ts'
import type { Coding } from '#site/encoding.ts'
import { connectionIdleSeconds, deployOpenMs, versionRecordsMax } from '#site/limits.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import {
  type DeployContent,
  findContent,
  isPlanned,
  listMissing,
} from '#store/queues/deploy-contents.ts'
import { createDeploy, type DeployFacts, deleteDeploy, findDeploy } from '#store/queues/deploys.ts'
import { findJob, type Job, listUnfinishedSites } from '#store/queues/jobs.ts'
import { findQuotaProblem } from '#store/sites/account-quota.ts'
import { deployCommitter } from './deploy-commits.ts'
import { isoOf } from './iso-of.ts'
import { assertMayHave } from './job-admission.ts'
import { atServer } from './own-site.ts'

/** For the records of an account, which may be many pages. */
const beginMsMax = 30_000
/** A list of ten thousand files, on a line of a megabit a second. */
const bodyMsMax = 60_000
/** Each file has three; an object counts as one, too. */
const bodyValuesMax = 100_000

/** Deploys: uploads that send only what the account does not have yet (deploys.md §4). */
export function deployHandlers(context: ApiContext): HandlersOf<typeof deployRoutes> {
  const { db, deploys, limits, now, oauth, recentRepositories, shutdown, spool } = context
  const beginning = new DeploySlots(context)
  const commit = deployCommitter(context)
  const arriving = new ConcurrencyLimit({
    max: deployFilesAtOnce,
    sentence: sentences.deployFilesArriving,
    retryAfterSeconds: 1,
  })
  return {
    beginDeploy: async ({ params, session: deployer, confirmSession, answer, c }) => {
      if (shutdown.begun.aborted) throw restarting()
      const { did } = deployer
      const site = siteOf(did, params.rkey)
      assertMayDeploy(deployer, { site: site.name, isPreview: true })
      await assertMayHave(site, await listUnfinishedSites(db, did), context)
      const body = await readJson(c.req.raw, {
        bytesMax: deployJsonBytesMax,
        valuesMax: bodyValuesMax,
        arrivalMsMax: bodyMsMax,
      })
      const declared = parse(deployBody, body)
      const hasChanges = declared.remove !== undefined || declared.into !== undefined
      if (declared.base === undefined && hasChanges) throw new ApiError(400, sentences.baseMissing)
      const admitted = admitDeclared(declared, limits, now())
      const isPreview = admitted.version.preview !== undefined
      assertMayDeploy(deployer, { site: site.name, isPreview })
      await confirmSession()
      if (isPreview) await assertMayKeep(did, oauth)
      const within = { ...context, operationMsMax: beginMsMax }
      const prepare = () =>
        atServer(did, 'begin deploy', within, (server) =>
          prepareDeploy(site, admitted, { ...server, db, limits, now, recentRepositories }),
        )
      const host = hostOf((await findAccount(db, did))?.pds ?? null)
      const prepared = await beginning.use({ account: did, host }, c.req.raw.signal, prepare)
      if (typeof prepared === 'string') throw unpreparedRefusals[prepared]()
      const problem = await findQuotaProblem(db, site, prepared.bytes, limits)
      if (problem !== null) throw new ApiError(413, problem)
      const deployId = crypto.randomUUID()
      const expiresAt = now() + deployOpenMs
      const { bytes, needed } = prepared
      const plan = JSON.stringify(prepared.plan)
      const deploy = {
        ...{ id: deployId, did, site: site.name, instance: spool.instance },
        ...{ plan, bytes, expiresAt },
        isPreview: isPreview ? (1 as const) : (0 as const),
      }
      if (!(await createDeploy(db, deploy, needed, { openMax: openDeploysMax, now: now() }))) {
        throw new ApiError(429, sentences.deploysOpen, { 'retry-after': '60' })
      }
      const missing = needed.map(({ sha256 }) => sha256)
      return answer(200, { deployId, missing, expiresAt: isoOf(expiresAt) })
    },

    sendDeployFile: async ({ params, session, confirmSession, answer, c }) => {
      const request = c.req.raw
      const deploy = await ownDeployHere(params.id, session, context)
      const content = await contentOf(deploy, params.sha256, context)
      if (content === 'here') return answer(204, null)
      if (deploy.committedAt !== null) throw new ApiError(409, sentences.deployCommitted)
      const coding = codingOf(request.headers)
      using _ = await arriving.acquire(deploy.id)
      const { server } = c.env
      // Bun closes connections below 16 KiB/s without an answer; we have our own minimum, with an answer.
      server?.timeout(request, 0)
      try {
        const hasArrived = await deploys.receive(deploy, content, {
          body: request.body ?? new Blob().stream(),
          coding,
          confirm: confirmSession,
          signal: shutdown.lastCall,
        })
        // Sent twice at a time, or the deploy was deleted meanwhile.
        if (!hasArrived) await ownDeploy(deploy.id, session, context)
        return answer(204, null)
      } catch (error) {
        const { signal } = request
        if (signal.aborted && error === signal.reason) throw new ApiError(400, sentences.senderGone)
        throw shutdown.lastCall.aborted ? interrupted() : error
      } finally {
        server?.timeout(request, connectionIdleSeconds)
      }
    },

    readDeploy: async ({ params, session, answer }) => {
      const deploy = await ownDeploy(params.id, session, context)
      const isOpen = deploy.committedAt === null
      const job = isOpen ? null : await findJob(db, deploy.id)
      return answer(200, {
        deployId: deploy.id,
        rkey: deploy.site,
        state: stateOf(deploy, job),
        missing: isOpen ? await listMissing(db, deploy.id) : [],
        expiresAt: isoOf(deploy.expiresAt),
        jobId: isOpen ? null : deploy.id,
        result: job?.result ?? null,
        error: job?.error ?? null,
      })
    },

    commitDeploy: async ({ params, session, answer }) => {
      const deploy = await ownDeployHere(params.id, session, context)
      const { id } = deploy
      const missing = deploy.committedAt === null ? await commit(deploy) : []
      if (missing.length > 0) return answer(409, { error: sentences.filesMissing, missing })
      return answer(200, { success: true, jobId: id })
    },

    deleteDeploy: async ({ params, session, answer }) => {
      const { id } = await ownDeployHere(params.id, session, context)
      if (!(await deleteDeploy(db, id))) throw new ApiError(409, sentences.deployCommitted)
      await deploys.close(id)
      await spool.remove(id)
      deploys.forget(id)
      return answer(200, { success: true })
    },
  }
}

function siteOf(did: Did, rkey: string): SiteAddress {
  const name = parseSiteName(rkey)
  if (name === null) throw new ApiError(400, sentences.badSiteName)
  return { did, name }
}

/** Throws ApiError 403 without the right to write version records: a preview must not go live instead. */
async function assertMayKeep(did: Did, oauth: Pick<OAuth, 'scopeOf'>): Promise<void> {
  if (!(await oauth.scopeOf(did)).has(versionScope)) throw new ApiError(403, noPreviewScopeSentence)
}

/** Throws ApiError 404 for a deploy that does not exist, or is another account's, and 403 for one that the token is not for. */
async function ownDeploy(
  id: string,
  deployer: Deployer,
  { db, now }: Pick<ApiContext, 'db' | 'now'>,
): Promise<DeployFacts> {
  // Checked before the database query: PostgreSQL rejects strings that hold NUL.
  const deploy = /^[0-9a-f-]{36}$/.test(id) ? await findDeploy(db, id, now()) : null
  if (deploy?.did !== deployer.did) throw new ApiError(404, literals.deployNotFound)
  assertMayDeploy(deployer, { site: deploy.site, isPreview: deploy.isPreview === 1 })
  return deploy
}

/** The same, where its files are in this spool. Throws ApiError 503: the instance that has them could not be asked. */
async function ownDeployHere(
  id: string,
  deployer: Deployer,
  context: Pick<ApiContext, 'db' | 'now' | 'spool'>,
): Promise<DeployFacts> {
  const deploy = await ownDeploy(id, deployer, context)
  if (deploy.instance !== context.spool.instance) throw restarting()
  return deploy
}

/** `here`: the account has it, or it has arrived. Throws ApiError 404 for a content that is not of the deploy. */
async function contentOf(
  { id, committedAt }: DeployFacts,
  sha256: string,
  { db }: Pick<ApiContext, 'db'>,
): Promise<DeployContent | 'here'> {
  const isHash = /^[0-9a-f]{64}$/.test(sha256)
  const content = isHash ? await findContent(db, id, sha256) : null
  if (content !== null) return content.pack === null ? content : 'here'
  if (isHash && (await isPlanned(db, id, sha256))) return 'here'
  // A published deploy has no list of its files any more.
  if (committedAt !== null) throw new ApiError(409, sentences.deployCommitted)
  throw new ApiError(404, sentences.notOfDeploy)
}

function codingOf(headers: Headers): Coding {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() || 'identity'
  if (coding === 'identity' || coding === 'gzip') return coding
  throw new ApiError(415, sentences.unknownCoding, { 'accept-encoding': 'gzip' })
}

function stateOf({ committedAt }: DeployFacts, job: Job | null) {
  if (committedAt === null) return 'open'
  if (job?.finishedAt === null) return 'publishing'
  return job?.status === 'completed' ? 'published' : 'failed'
}

const unpreparedRefusals: Record<Unprepared, () => ApiError> = {
  'no-version': () => new ApiError(404, sentences.versionNotFound),
  'over-quota': () => new ApiError(409, overPreviewQuotaSentence(versionRecordsMax)),
}
