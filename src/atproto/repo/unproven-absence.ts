import type { Identity } from '#atproto/identity/identity.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { ownField } from '#site/record/own-fields.ts'
import type { RecordKey } from './verified-record.ts'

const answerBytesMax = 64 * 1024

/**
 * Whether the account's server says that a record is not there: its word, no proof. For servers that
 * fail where a proof of absence is due (Cocoon answers `com.atproto.sync.getRecord` with 500), and only
 * for records without which nothing is shown that the owner did not sign. Throws what SafeFetch throws.
 */
export async function saysRecordIsAbsent(
  { collection, rkey }: Omit<RecordKey, 'did'>,
  identity: Identity,
  fetch: SafeFetch,
  signal?: AbortSignal,
): Promise<boolean> {
  const url = new URL('/xrpc/com.atproto.repo.getRecord', identity.pds)
  const parameters = { repo: identity.did, collection, rkey }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const response = await fetch(url, {
    limits: { responseBytesMax: answerBytesMax },
    ...(signal && { signal }),
  })
  if (response.status !== 400 && response.status !== 404) {
    await response.body?.cancel()
    return false
  }
  const body: unknown = await response.json().catch(() => null)
  return ownField(body, 'error') === 'RecordNotFound'
}
