import { onPostgres } from '#tests/support/database/on-postgresql.ts'

await onPostgres((path) => path.startsWith('src/store/queues/'))
