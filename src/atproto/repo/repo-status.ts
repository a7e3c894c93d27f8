import type { Identity } from '#atproto/identity/identity.ts'
import { smallAnswer } from '#outbound/answer-body.ts'
import type { AnswerFields } from '#outbound/answer-fields.ts'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import { publicQuery, type QueryContext } from './public-query.ts'

/** `active`, or why an account's records must not be shown. */
export type RepoStatus = 'active' | 'deactivated' | 'takendown' | 'suspended' | 'deleted'

const method = 'com.atproto.sync.getRepoStatus'

/**
 * Reads the account's status from its own server, the only authority. An unknown reason for inactivity counts as
 * deactivated, an account unknown to the server as deleted. Throws what `publicQuery` throws for any other answer.
 */
export async function readRepoStatus(
  { did, pds }: Pick<Identity, 'did' | 'pds'>,
  context: QueryContext,
): Promise<RepoStatus> {
  const query = { server: pds, method, parameters: { did } }
  try {
    return statusOf(did, await publicQuery(query, smallAnswer, context))
  } catch (error) {
    const status = error instanceof ServerRefusedError ? statusOfRefusal[error.code] : undefined
    // A failing gateway may send any code: it counts only with a client error.
    const isClientError = Math.floor((error as ServerRefusedError).status / 100) === 4
    if (status !== undefined && isClientError) return status
    throw error
  }
}

function statusOf(did: string, answer: AnswerFields): RepoStatus {
  const active = answer.get('active')
  if (answer.get('did') !== did) throw answer.unusable('did')
  if (typeof active !== 'boolean') throw answer.unusable('active')
  if (active) return 'active'
  const reason = answer.get('status')
  return inactiveReasons.find((one) => one === reason) ?? 'deactivated'
}

const inactiveReasons = ['deactivated', 'takendown', 'suspended', 'deleted'] as const

/** The errors shared by all methods of `com.atproto.sync`. */
const statusOfRefusal: Readonly<Record<string, RepoStatus | undefined>> = {
  RepoNotFound: 'deleted',
  RepoTakendown: 'takendown',
  RepoSuspended: 'suspended',
  RepoDeactivated: 'deactivated',
}
