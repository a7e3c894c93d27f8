import { serversOf } from '#concurrency/pace-history.ts'
import type { Did } from '#site/site-address.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'

/** Whose share of the spool an account's jobs count for: its server's registrable domain, else its host; null: not known. */
export async function spoolServerOf(db: Db, did: Did): Promise<string | null> {
  const pds = (await findAccount(db, did))?.pds ?? null
  if (pds === null || !URL.canParse(pds)) return null
  return serversOf(new URL(pds).host).at(-1) ?? null
}
