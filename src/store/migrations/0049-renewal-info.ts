import type { MigrationSql } from './sql-migration.ts'

/** Which authority issued a certificate, and when it is asked next whether it wants the certificate renewed. */
export const renewalInfo: MigrationSql = ({ text }) => [
  `alter table certificates add column issued_by ${text}`,
  'alter table certificates add column renewal_info_at bigint',
  'create index certificates_by_renewal_info on certificates (is_wanted, renewal_info_at)',
]
