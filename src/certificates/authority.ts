import type { Seal } from '#atproto/oauth/seal.ts'
import { findAcmeKey, keepAcmeKey } from '#store/certificates/acme.ts'
import type { Db } from '#store/database/database.ts'
import { AcmeClient } from './acme/acme-client.ts'
import { newKey } from './acme/certificate-request.ts'
import type { ExternalAccount } from './acme/external-account.ts'
import { accountContext } from './sealed-keys.ts'

/** An authority of RFC 8555. */
export interface Authority {
  /** URL of its directory. */
  readonly directory: string
  /** Roots to trust in addition, in PEM. */
  readonly ca: readonly string[]
  /** `mailto:` addresses. */
  readonly contact: readonly string[]
  /** Null: anybody may have an account. */
  readonly externalAccount: ExternalAccount | null
  /** The kind of certificates to ask for, where the authority offers it; null: its default. */
  readonly profile: string | null
}

interface OpenContext {
  readonly db: Db
  readonly seal: Seal
  readonly signal: AbortSignal
}

/** A client with the key of our account at the authority, which is made when it is first needed. */
export async function openClient(
  { ca, directory }: Authority,
  { db, seal, signal }: OpenContext,
): Promise<AcmeClient> {
  const context = accountContext(directory)
  const kept =
    (await findAcmeKey(db, directory)) ??
    (await keepAcmeKey(db, directory, await seal.seal(newKey(), context)))
  const accountKey = await seal.open(kept, context)
  return new AcmeClient({ directory, accountKey, ca, signal })
}
