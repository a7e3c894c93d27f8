import { serversOf } from '#concurrency/pace-history.ts'
import type { SpoolOwner } from '#publish/upload/spool.ts'
import type { Did } from '#site/site-address.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { listSiteNames } from '#store/sites/sites.ts'

/** Whose space of the spool an upload of the account takes. */
export async function spoolOwnerOf(db: Db, did: Did): Promise<SpoolOwner> {
  const isNewcomer = (await listSiteNames(db, did)).length === 0
  return { owner: did, isNewcomer, server: await spoolServerOf(db, did) }
}

/** The registrable domain of the account's server, else its host: jobs of a server share the spool. Null: not known. */
export async function spoolServerOf(db: Db, did: Did): Promise<string | null> {
  const host = hostOf((await findAccount(db, did))?.pds ?? null)
  return host === null ? null : (serversOf(host).at(-1) ?? null)
}

/** Of a server's URL; null for none. */
export const hostOf = (pds: string | null): string | null =>
  pds !== null && URL.canParse(pds) ? new URL(pds).host : null
