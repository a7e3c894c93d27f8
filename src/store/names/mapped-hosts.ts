import type { Db } from '#store/database/database.ts'

/** Every host that leads to a site: mapped subdomains, and custom domains that are verified and mapped. */
export function mappedHosts(db: Db) {
  const subdomains = db.selectFrom('subdomains').select(['domain', 'did', 'site', 'isPrimary'])
  const verified = db
    .selectFrom('customDomains')
    .select(['domain', 'did', 'site', 'isPrimary'])
    .where('verified', '=', 1)
  return db
    .selectFrom(subdomains.unionAll(verified).as('hosts'))
    .selectAll()
    .where('site', 'is not', null)
}
