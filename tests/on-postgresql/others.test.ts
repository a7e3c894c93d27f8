import { onPostgres } from '#tests/support/database/on-postgresql.ts'

await onPostgres((path) => !/^src\/store\/(?:database|queues|sites)\//.test(path))
