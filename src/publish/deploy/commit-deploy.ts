import type { PlannedFile } from '#publish/contents/planned-file.ts'
import type { JobContext } from '#publish/jobs/job-context.ts'
import type { JobPlan } from '#publish/jobs/job-plan.ts'
import { queuePlan } from '#publish/jobs/queue-job.ts'
import { spoolOwnerOf } from '#publish/jobs/spool-owner.ts'
import { type NewVersion, newVersion } from '#publish/new-version.ts'
import { readSiteFile } from '#publish/upload/read-site-file.ts'
import type { SpoolFolder } from '#publish/upload/spool-folder.ts'
import { previewMs, type SiteLimits } from '#site/limits.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'
import { siteFileName } from '#site/upload/path-rules.ts'
import { invalid } from '#site/upload/upload-refusal.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { type DeployContent, listContents, listMissing } from '#store/queues/deploy-contents.ts'
import {
  commitDeploy,
  type DeployCommit,
  type DeployFacts,
  findDeployPlan,
} from '#store/queues/deploys.ts'
import { listVersions } from '#store/sites/versions.ts'
import { type DeployPlan, parseDeployPlan } from './deploy-plan.ts'
import { previewEnd } from './described-version.ts'
import type { OpenDeploys } from './open-deploys.ts'

type CommitContext = Pick<JobContext, 'at' | 'db' | 'log' | 'now' | 'spool' | 'wakeUps'> & {
  readonly limits: SiteLimits
  readonly deploys: Pick<OpenDeploys, 'adopt' | 'close' | 'forget'>
}

export type CommitOutcome =
  | DeployCommit
  | {
      readonly created: false
      readonly reason: 'files-missing'
      readonly missing: readonly string[]
    }
  | { readonly created: false; readonly reason: 'base-changed' }

/**
 * Makes an open deploy a job with the deploy's id. The job compares its base with the repository; that the site has
 * changed is known here already when ingest has seen the change. Throws SpoolFullError, and UploadRefusedError for a
 * `sitehost.json` that cannot be read.
 */
export async function queueDeploy(
  deploy: DeployFacts,
  context: CommitContext,
): Promise<CommitOutcome> {
  const { db, deploys } = context
  const { id } = deploy
  const text = await findDeployPlan(db, id)
  if (text === null) return { created: false, reason: 'not-ready' }
  const plan = parseDeployPlan(text)
  const missing = await listMissing(db, id)
  if (missing.length > 0) return { created: false, reason: 'files-missing', missing }
  if (plan.base?.version === null && (await isReplaced(plan.base, deploy, context))) {
    return { created: false, reason: 'base-changed' }
  }
  await deploys.close(id)
  let isJob = false
  try {
    const outcome = await queueWhole(deploy, plan, context)
    isJob = outcome.created
    return outcome
  } finally {
    if (isJob) deploys.forget(id)
    else await deploys.adopt(id)
  }
}

/** Of a deploy whose files stay as they are. */
async function queueWhole(
  { id, did, site: name }: DeployFacts,
  plan: DeployPlan,
  context: CommitContext,
): Promise<CommitOutcome> {
  const { at, db, spool } = context
  const contents = await listContents(db, id)
  const missing = contents.flatMap(({ sha256, pack }) => (pack === null ? sha256 : []))
  if (missing.length > 0) return { created: false, reason: 'files-missing', missing }
  const folder = await spool.open(id)
  const settings = await settingsOf(plan, contents, folder)
  const sentBytes = contents.reduce((sum, { bytes }) => sum + bytes, 0)
  const owner = await spoolOwnerOf(db, did)
  const commit: typeof commitDeploy = (within, ...job) =>
    inTransaction(within, async (transaction) => {
      const admission = await commitDeploy(transaction, ...job)
      if (!admission.created) return admission
      await spool.receive(id, sentBytes, owner)
      at('deploy-committing')
      return admission
    })
  const expectedCid = plan.base?.version === null ? (plan.base.cid ?? '') : null
  const job = { id, plan: jobPlanOf(plan, settings, contents, context.now()), expectedCid }
  return await queuePlan(job, { did, name }, commit, context)
}

/** Whether ingest knows a later version than the base. */
async function isReplaced(
  { cid }: NonNullable<DeployPlan['base']>,
  { did, site, createdAt }: DeployFacts,
  { db }: CommitContext,
): Promise<boolean> {
  const [newest, ...others] = await listVersions(db, { did, name: site })
  if (newest === undefined || newest.recordCid === cid) return false
  // Ingest may be late: it may not have seen the base yet, or that there was no site.
  if (cid === null) return newest.seenAt > createdAt
  return others.some((version) => version.recordCid === cid)
}

/** The fields of the deploy's `sitehost.json` and, before them, its own. Throws UploadRefusedError. */
async function settingsOf(
  { siteFile, settings }: DeployPlan,
  contents: readonly DeployContent[],
  folder: SpoolFolder,
): Promise<SiteSettings | null> {
  const sent = contents.find(({ sha256 }) => sha256 === siteFile?.sha256)
  if (sent === undefined || sent.pack === null || sent.offset === null) return settings
  const text = await folder.blob({ ...sent, pack: sent.pack, offset: sent.offset }).text()
  return merged(readSiteFile(text).settings, settings)
}

function merged(ofFile: SiteSettings | null, own: SiteSettings | null): SiteSettings | null {
  if (ofFile === null || own === null) return own ?? ofFile
  const parsed = parseSettings({ ...ofFile, ...own })
  if (!parsed.ok) throw invalid(`settings, with those of ${siteFileName}: ${parsed.error}`)
  return parsed.settings
}

function jobPlanOf(
  { files, skippedFiles, base, version }: DeployPlan,
  settings: SiteSettings | null,
  contents: readonly DeployContent[],
  now: number,
): JobPlan {
  const sent = new Map(contents.map((content) => [content.sha256, content]))
  const planned = files.map((file): PlannedFile => {
    const { pack = null, offset = null } = sent.get(file.sha256) ?? {}
    return pack === null || offset === null ? { ...file, pack: null } : { ...file, pack, offset }
  })
  const changes = base && { version: base.version, remove: base.remove, into: base.into }
  return {
    files: planned,
    skippedFiles,
    retain: true,
    changes,
    settings,
    version: versionOf(version, now),
  }
}

/** Throws UploadRefusedError for a preview whose time is over already. */
function versionOf({ preview, ...described }: DeployPlan['version'], now: number): NewVersion {
  const version = { ...newVersion(now), ...described }
  if (preview === undefined) return version
  const { expiresAt = new Date(now + previewMs).toISOString(), ...alias } = preview
  return { ...version, preview: { ...alias, expiresAt: previewEnd(expiresAt, now) } }
}
