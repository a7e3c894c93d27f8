import type { MigrationSql } from './sql-migration.ts'

/** The DNS and the authorities have pauses of their own: a wrong DNS record must not end a row of failed orders. */
export const dnsFailures: MigrationSql = () => [
  'alter table certificates add column dns_failures bigint not null default 0',
  `update certificates set dns_failures = failures, failures = 0 where last_problem in ('dns', 'elsewhere')`,
]
