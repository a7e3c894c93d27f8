import type { MigrationSql } from './sql-migration.ts'

export const domains: MigrationSql = ({ text }) => [
  `create table subdomains (
    domain ${text} primary key,
    did ${text} not null,
    site ${text},
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create index subdomains_by_account on subdomains (did, site)`,

  `create table custom_domains (
    id ${text} primary key,
    did ${text} not null,
    domain ${text} not null,
    verified bigint not null,
    site ${text},
    confirmed_at bigint,
    checked_at bigint,
    next_check_at bigint not null,
    misses bigint not null,
    missing_since bigint,
    ownership_warning ${text},
    pointing_warning ${text},
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create unique index custom_domains_one_an_account on custom_domains (did, domain)`,
  `create unique index custom_domains_one_verified on custom_domains (domain) where verified = 1`,
  `create index custom_domains_by_name on custom_domains (domain)`,
  `create index custom_domains_by_check on custom_domains (next_check_at) where verified = 1`,

  `alter table changes add column host ${text}`,
]
