import type { Identity } from '#atproto/identity/identity.ts'
import { publicAnswer, type QueryContext } from '#atproto/repo/public-query.ts'

/** A blob of the account's, as its server stores it. Throws as `publicAnswer`. */
export const fetchStoredBlob = (
  { did, pds }: Pick<Identity, 'did' | 'pds'>,
  cid: string,
  bytesMax: number,
  context: QueryContext,
): Promise<Uint8Array> =>
  publicAnswer(
    { server: pds, method: 'com.atproto.sync.getBlob', parameters: { did, cid }, bytesMax },
    context,
  )
