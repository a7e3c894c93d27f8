import type { Identity } from '#atproto/identity/identity.ts'
import { smallAnswer } from '#outbound/answer-body.ts'
import type { AnswerFields } from '#outbound/answer-fields.ts'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import { publicQuery, type QueryContext } from './public-query.ts'

/** `active`, or why an account's records are not to be shown. */
export type RepoStatus = 'active' | 'deactivated' | 'takendown' | 'suspended' | 'deleted'

const method = 'com.atproto.sync.getRepoStatus'

/**
 * What the account's own server says of it: the one that its DID document names, nobody else has a say. An
 * account that is not active for a reason that we do not know counts as deactivated; one that its server
 * does not know, as deleted. Throws what `publicQuery` throws for every other answer.
 */
export async function readRepoStatus(
  { did, pds }: Pick<Identity, 'did' | 'pds'>,
  context: QueryContext,
): Promise<RepoStatus> {
  const query = { server: pds, method, parameters: { did } }
  try {
    return statusOf(did, await publicQuery(query, smallAnswer, context))
  } catch (error) {
    const told = error instanceof ServerRefusedError ? statusOfRefusal[error.code] : undefined
    // A gateway in trouble may say anything; what is not there, or not to be shown, is the client's mistake.
    if (told !== undefined && (error as ServerRefusedError).status < 500) return told
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

/** Errors that the methods of `com.atproto.sync` share. */
const statusOfRefusal: Readonly<Record<string, RepoStatus | undefined>> = {
  RepoNotFound: 'deleted',
  RepoTakendown: 'takendown',
  RepoSuspended: 'suspended',
  RepoDeactivated: 'deactivated',
}
