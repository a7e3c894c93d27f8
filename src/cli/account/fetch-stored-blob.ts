import { createHash } from 'node:crypto'
import type { Identity } from '#atproto/identity/identity.ts'
import { publicAnswer, type QueryContext } from '#atproto/repo/public-query.ts'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { UnusableAnswerError } from '#outbound/server-errors.ts'

const method = 'com.atproto.sync.getBlob'

/**
 * A blob of the account's, as its server stores it: its bytes have the CID. Throws as `publicAnswer`, and
 * UnusableAnswerError for other bytes.
 */
export async function fetchStoredBlob(
  { did, pds }: Pick<Identity, 'did' | 'pds'>,
  cid: string,
  bytesMax: number,
  context: QueryContext,
): Promise<Uint8Array> {
  const query = { server: pds, method, parameters: { did, cid }, bytesMax }
  const bytes = await publicAnswer(query, context)
  if (rawCid(createHash('sha256').update(bytes).digest()) === cid) return bytes
  throw new UnusableAnswerError(method, 'body')
}
