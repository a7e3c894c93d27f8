import type { MigrationSql } from './sql-migration.ts'

/** The lists of the administrator's area, in their order; with the columns that a search reads. */
export const lists: MigrationSql = () => [
  'create index sites_newest on sites (created_at, did, name, label) where label is not null',
  'create index accounts_newest on accounts (created_at, did, handle)',
  'create index jobs_newest on jobs (created_at, id, did, site, status, error)',
  'create index subdomains_newest on subdomains (created_at, domain)',
  'create index custom_domains_newest on custom_domains (created_at, id)',
  'create index custom_domains_in_order on custom_domains (domain, did)',
  `create index versions_live_bytes on versions (bytes) where state = 'live'`,
  `create index versions_invalid on versions (did, name, rev) where state = 'invalid'`,
  `create index work_items_parked on work_items (kind, did, site) where next_attempt_at = 9007199254740991`,
]
