import type { Identities } from '#atproto/identity/identity.ts'
import { ClientKeys } from '#atproto/oauth/client-keys.ts'
import { createOAuth, type OAuth } from '#atproto/oauth/oauth.ts'
import type { OAuthPools } from '#atproto/oauth/oauth-pools.ts'
import type { SealedRows } from '#atproto/oauth/oauth-rows.ts'
import { createSeal } from '#atproto/oauth/seal.ts'
import type { Log } from '#observe/log.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import type { Instance } from '#site/instance.ts'
import { forgetGrantFailures } from '#store/accounts/grant-failures.ts'
import {
  deleteSealed,
  getSealed,
  putSealed,
  sealedPages,
  swapSealed,
} from '#store/accounts/sealed-rows.ts'
import type { Db } from '#store/database/database.ts'
import { withLease } from '#store/leases.ts'

interface OAuthParts {
  readonly origin: string
  readonly shown?: Instance
  readonly secrets: readonly [string, ...string[]]
  readonly db: Db
  readonly identities: Identities
  readonly fetch: SafeFetch
  readonly pools?: Partial<OAuthPools>
  readonly log: Log
  readonly allowHttp: boolean
}

/** Sign-in at account servers, on our database; `clientKeys` is null at a loopback address. */
export async function openOAuth(
  parts: OAuthParts,
): Promise<{ oauth: OAuth; clientKeys: ClientKeys | null }> {
  const { db, origin } = parts
  const clientKeys = origin.startsWith('https:') ? await openClientKeys(parts) : null
  const oauth = createOAuth({
    ...parts,
    ...(await openSealing(parts)),
    keys: clientKeys,
    onRenewed: (did) => forgetGrantFailures(db, did),
  })
  return { clientKeys, oauth }
}

/** The keys of a service at a public address. */
export async function openClientKeys(
  parts: Pick<OAuthParts, 'db' | 'secrets'>,
): Promise<ClientKeys> {
  return new ClientKeys(await openSealing(parts))
}

/** Encrypted rows of this database, readable only with the secrets; and its leases. */
export async function openSealing({ db, secrets }: Pick<OAuthParts, 'db' | 'secrets'>) {
  const now = Date.now
  const rows: SealedRows = {
    get: (kind, key) => getSealed(db, { kind, key }, now()),
    put: (kind, key, sealed, expiresAt) => putSealed(db, { kind, key, sealed, expiresAt }),
    delete: (kind, key) => deleteSealed(db, { kind, key }),
    swap: (kind, key, seen, sealed) => swapSealed(db, { kind, key }, seen, sealed),
    pages: (kind) => sealedPages(db, kind, { now }),
  }
  return {
    rows,
    seal: await createSeal(secrets, 'sitehost oauth rows'),
    withLease: <T>(name: string, work: () => Promise<T>): Promise<T> => withLease(db, name, work),
  }
}
