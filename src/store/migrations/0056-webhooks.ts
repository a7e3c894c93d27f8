import type { MigrationSql } from './sql-migration.ts'

/** URLs of owners that receive the events of their sites, and their deliveries. */
export const webhooks: MigrationSql = ({ text }) => [
  `create table webhooks (
    id ${text} primary key,
    did ${text} not null,
    site ${text} not null,
    url ${text} not null,
    host ${text} not null,
    events ${text} not null,
    sealed_secret ${text} not null,
    sealed_former ${text},
    former_until bigint,
    disabled_by ${text},
    failing_since bigint,
    skipped bigint not null default 0,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index webhooks_of_account on webhooks (did, site)',
  'create index webhooks_by_host on webhooks (host)',
  `create table webhook_deliveries (
    id ${text} primary key,
    webhook_id ${text} not null,
    did ${text} not null,
    event ${text} not null,
    message ${text} not null,
    state ${text} not null,
    attempts bigint not null,
    created_at bigint not null,
    next_attempt_at bigint not null,
    leased_until bigint not null default 0,
    attempted_at bigint,
    status bigint,
    failure ${text},
    duration_ms bigint
  )`,
  'create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, id)',
  'create index webhook_deliveries_of_account on webhook_deliveries (did)',
  `create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where state = 'pending'`,
  'create index webhook_deliveries_by_age on webhook_deliveries (created_at)',
]
