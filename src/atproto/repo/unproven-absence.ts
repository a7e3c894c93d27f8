import type { Identity } from '#atproto/identity/identity.ts'
import { smallAnswer } from '#outbound/answer-body.ts'
import { ServerRefusedError, UnusableAnswerError } from '#outbound/server-errors.ts'
import { publicAnswer, type QueryContext } from './public-query.ts'
import type { RecordKey } from './verified-record.ts'

const method = 'com.atproto.repo.getRecord'
const { bytesMax } = smallAnswer

/**
 * Whether the account's server reports that a record does not exist, unproven. For servers that cannot prove absence
 * (Cocoon answers `com.atproto.sync.getRecord` with 500), and only for records whose absence shows nothing that the
 * owner did not sign. Throws ServerUnreachableError, and the signal's reason.
 */
export async function saysRecordIsAbsent(
  { collection, rkey }: Omit<RecordKey, 'did'>,
  { did, pds }: Pick<Identity, 'did' | 'pds'>,
  context: QueryContext,
): Promise<boolean> {
  const parameters = { repo: did, collection, rkey }
  try {
    await publicAnswer({ server: pds, method, parameters, bytesMax }, context)
    return false
  } catch (error) {
    if (error instanceof UnusableAnswerError) return false
    if (!(error instanceof ServerRefusedError)) throw error
    return [400, 404].includes(error.status) && error.code === 'RecordNotFound'
  }
}
