import { onPostgres } from '../support/on-postgresql.ts'

await onPostgres((path) => !/^src\/store\/(?:database|queues|sites)\//.test(path))
