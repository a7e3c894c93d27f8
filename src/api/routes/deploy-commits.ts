import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import { type CommitOutcome, queueDeploy } from '#publish/deploy/commit-deploy.ts'
import { type DeployFacts, findDeploy } from '#store/queues/deploys.ts'
import { findQuotaProblem } from '#store/sites/account-quota.ts'
import { assertAdmissible, refusalOf } from './job-admission.ts'

/**
 * Makes a deploy a job, once: of several requests for one deploy all have this outcome. Resolves to the contents that are
 * missing; none: it is a job. Throws ApiError.
 */
export function deployCommitter(
  context: ApiContext,
): (deploy: DeployFacts) => Promise<readonly string[]> {
  const running = new SingleFlight<string, readonly string[]>()
  return (deploy) => running.run(deploy.id, () => commit(deploy, context))
}

async function commit(deploy: DeployFacts, context: ApiContext): Promise<readonly string[]> {
  const { db, limits } = context
  // It may have become one since the request was read.
  if (await isJob(deploy, context)) return []
  const site = { did: deploy.did, name: deploy.site }
  await assertAdmissible(site, context)
  const problem = await findQuotaProblem(db, site, deploy.bytes, limits)
  if (problem !== null) throw new ApiError(413, problem)
  const outcome = await queueDeploy(deploy, context)
  if (outcome.created) {
    context.at('job-queued')
    return []
  }
  if (outcome.reason === 'files-missing') return outcome.missing
  // By another instance.
  if (outcome.reason === 'not-ready' && (await isJob(deploy, context))) return []
  throw commitRefusal(outcome)
}

async function isJob({ id }: DeployFacts, { db, now }: ApiContext): Promise<boolean> {
  const deploy = await findDeploy(db, id, now())
  return deploy !== null && deploy.committedAt !== null
}

type Uncommitted = Exclude<
  Extract<CommitOutcome, { created: false }>,
  { readonly reason: 'files-missing' }
>

function commitRefusal(refusal: Uncommitted): ApiError {
  switch (refusal.reason) {
    case 'base-changed':
      return new ApiError(409, sentences.baseChanged)
    case 'not-ready':
      return new ApiError(409, sentences.deployChanged)
    default:
      return refusalOf(refusal)
  }
}
