import type { AtFailPoint } from '#publish/fail-points.ts'
import type { NewVersion } from '#publish/new-version.ts'
import {
  type PublishJob,
  type PublishOutcome,
  progressAtStart,
  publishSite,
  type SiteContent,
} from '#publish/publish-site.ts'
import type { StoreContext } from '#publish/store-files.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { JobProgress } from '#store/queues/jobs.ts'

export type Deployed = Extract<PublishOutcome, { kind: 'published' }> & {
  readonly progress: JobProgress
  /** The site was like this already: nothing was sent or written. */
  readonly isUnchanged: boolean
}

type DeployOutcome = Deployed | Extract<PublishOutcome, { kind: 'busy' }>

interface DeployContext extends Omit<StoreContext, 'at'> {
  readonly at?: AtFailPoint
  readonly onProgress: (progress: JobProgress) => void
}

/** Publishes in one attempt. Throws as `publishSite`. */
export async function deployFiles(
  address: SiteAddress,
  content: SiteContent,
  version: NewVersion,
  { onProgress, at: atFailPoint, ...context }: DeployContext,
): Promise<DeployOutcome> {
  let progress = progressAtStart(content.files)
  let expected: { readonly cid: string | null } | null = null
  let commits = 0
  const job: PublishJob = {
    startedAt: context.now(),
    sentBefore: { filesUploaded: 0, bytesUploaded: 0 },
    lane: { detachWhenSlow() {}, pin: () => true },
    version,
    // What the first read found, also after a blob was refused.
    async rememberExpectedCid(cid) {
      expected ??= { cid }
      return expected.cid
    },
    beginWriting: async () => true,
    report(change) {
      progress = { ...progress, ...change }
      onProgress(progress)
    },
  }
  const at: StoreContext['at'] = (point) => {
    if (point === 'after-commit') commits += 1
    atFailPoint?.(point)
  }
  const outcome = await publishSite(address, content, job, { ...context, at })
  switch (outcome.kind) {
    case 'published':
      return { ...outcome, progress, isUnchanged: commits === 0 }
    case 'busy':
      return outcome
    case 'uploaded':
    case 'cancelled':
      throw new Error(`a deploy in one attempt ended as ${outcome.kind}`)
  }
}
