import { onPostgres } from '#tests/support/database/on-postgresql.ts'
const only = process.env['ONLY']!.split(',')
await onPostgres((path) => only.some((each) => path.startsWith(each)))
