import { onPostgres } from '../support/on-postgresql.ts'

await onPostgres((path) => !/^store\/(?:database|queues|sites)\//.test(path))
