import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { planned } from '#store/database/prepared.ts'
import { primaryDomainOf } from '#store/database/primary-domain-of.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { withCustomDomain } from './change-custom-domain.ts'
import { listCustomDomains } from './custom-domains.ts'
import { withSubdomain } from './subdomains.ts'
import { tellNames } from './tell-names.ts'

/**
 * The name to which the site's other names lead; null: there is none. It is mapped to this site, and verified if it is a
 * custom domain. A lost domain counts again when it is verified again.
 */
export async function findPrimaryDomain(
  db: Db,
  { did, name }: SiteAddress,
): Promise<string | null> {
  const { rows } = await selectPrimary(db, { did, name })
  return rows[0]?.domain ?? null
}

const selectPrimary = planned<SiteAddress, { domain: string | null }>((db, { did, name }) =>
  db.selectNoFrom(primaryDomainOf(did, name).as('domain')),
)

/** The lock for changes of a site's subdomains and custom domains together. */
export const primarySubject = ({ did, name }: SiteAddress): string => `primary of ${did}/${name}`

export type PrimaryOutcome = 'set' | 'not-found' | 'not-verified' | 'leads-elsewhere'

/** Makes one of the site's names its primary domain, in place of the current one; null: it has none. */
export function setPrimaryDomain(
  db: Db,
  site: SiteAddress,
  domain: string | null,
  now: number,
): Promise<PrimaryOutcome> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, primarySubject(site))
    const outcome = domain === null ? 'set' : await mark(transaction, site, domain)
    if (outcome !== 'set') return outcome
    for (const table of ['subdomains', 'customDomains'] as const) {
      await transaction
        .updateTable(table)
        .set({ isPrimary: 0 })
        .where('did', '=', site.did)
        .where('site', '=', site.name)
        .where('isPrimary', '=', 1)
        .where('domain', '!=', domain ?? '')
        .execute()
    }
    await tellNames(transaction, site, now)
    return 'set'
  })
}

async function mark(db: Db, { did, name }: SiteAddress, domain: string): Promise<PrimaryOutcome> {
  const subdomain = await withSubdomain(db, { did, domain }, async (transaction, { site }) => {
    if (site !== name) return 'leads-elsewhere'
    await transaction
      .updateTable('subdomains')
      .set({ isPrimary: 1 })
      .where('domain', '=', domain)
      .execute()
    return 'set'
  })
  return subdomain ?? (await markCustom(db, { did, name }, domain))
}

async function markCustom(
  db: Db,
  { did, name }: SiteAddress,
  domain: string,
): Promise<PrimaryOutcome> {
  const owned = await listCustomDomains(db, did)
  const key = owned.find((each) => each.domain === domain)
  if (key === undefined) return 'not-found'
  const outcome = await withCustomDomain(db, key, async (transaction, custom) => {
    if (custom.site !== name) return 'leads-elsewhere'
    if (!custom.verified) return 'not-verified'
    await transaction
      .updateTable('customDomains')
      .set({ isPrimary: 1 })
      .where('id', '=', custom.id)
      .execute()
    return 'set'
  })
  return outcome ?? 'not-found'
}
