import type { Identities, Identity } from '#atproto/identity/identity.ts'
import { ProofError } from '#atproto/repo/verified-record.ts'
import type { Did } from '#site/site-address.ts'
import { findSigningKey } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'

interface ProvenContext {
  readonly db: Db
  readonly identities: Pick<Identities, 'resolve'>
  readonly signal: AbortSignal
}

export interface ProvenReading<Reading> {
  readonly identity: Identity
  readonly reading: Reading
}

/** Reads from an account's repository, once more with a fresh DID document when the proof does not fit the known key. */
export async function readProven<Reading>(
  did: Did,
  { identities, signal }: ProvenContext,
  readFrom: (identity: Identity) => Promise<Reading>,
): Promise<ProvenReading<Reading>> {
  const read = async (fresh: boolean) => {
    const identity = await identities.resolve(did, { fresh, signal })
    return { identity, reading: await readFrom(identity) }
  }
  try {
    return await read(false)
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    // The signing key may have changed.
    return await read(true)
  }
}

/**
 * Throws ProofError when the key was replaced: the account's former server, which has the old key, may have received
 * our request before the change and answered after it. Asks the directory if a check in any process found another key.
 */
export async function assertStillSigns(
  { did, signingMultikey }: Identity,
  uri: string,
  { db, identities, signal }: ProvenContext,
): Promise<void> {
  const found = await findSigningKey(db, did)
  const fresh = found !== null && found !== signingMultikey
  const current = await identities.resolve(did, { fresh, signal })
  if (current.signingMultikey === signingMultikey) return
  throw new ProofError(uri, 'its key was replaced')
}
