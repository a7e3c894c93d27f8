import { onPostgres } from '../support/on-postgresql.ts'

await onPostgres((path) => path.startsWith('src/store/queues/'))
