import {
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import pg from 'pg'
import { DatabaseUnavailableError } from './database-unavailable.ts'

interface PostgresOptions {
  readonly url: string
  readonly connectionsMax: number
  readonly answerMsMax?: number | undefined
}

/** At the beginning of a statement that each connection prepares under a name, so that PostgreSQL can keep its plan. */
export const plannedMark = '/* plan kept */ '

const connectMsMax = 10_000
/**
 * A transaction whose client says nothing for so long is rolled back: a process that was suspended, or cannot be reached, would keep
 * others waiting for what it has locked.
 */
const idleTransactionMsMax = 15_000

/** Kysely on a pool of `pg`, with 64 bit integers as numbers and DatabaseUnavailableError for temporary failures. */
export function postgresDialect({ url, connectionsMax, answerMsMax }: PostgresOptions) {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: Math.min(answerMsMax ?? connectMsMax, connectMsMax),
    ...(answerMsMax !== undefined && {
      query_timeout: answerMsMax,
      idle_in_transaction_session_timeout: idleTransactionMsMax,
    }),
    // A connection that broke silently fails some day, even where a query without a time limit waits on it.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'sitehost',
    types: { getTypeParser },
  })
  pool.on('connect', (client) => client.on('error', ignoreIdleError))
  pool.on('error', ignoreIdleError)
  const load = () => ({
    open: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  })
  return Object.assign(new PostgresDialect({ pool: withTypedErrors(pool) }), { load })
}

/** Every integer we store is below 2^53 (milliseconds, bytes, microseconds of a firehose cursor). */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 && format !== 'binary'
    ? Number
    : pg.types.getTypeParser(oid, format as 'text')

// A connection that the server closes emits `error`, which ends a process without a listener. The running query fails
// anyway, and the pool replaces the connection.
function ignoreIdleError(): void {}

function withTypedErrors(pool: pg.Pool): PostgresPool {
  return {
    connect: async () => {
      const client = await pool.connect().catch((cause: unknown) => {
        throw new DatabaseUnavailableError('postgres', cause)
      })
      return typedClient(client)
    },
    end: () => pool.end(),
  }
}

function typedClient(client: pg.PoolClient): PostgresPoolClient {
  let isBroken = false
  const query = async (sql: string, parameters: readonly unknown[]) => {
    const named = sql.startsWith(plannedMark) && { name: Bun.hash(sql).toString(36) }
    try {
      const statement = { text: sql, values: [...parameters], ...named }
      return (await client.query(statement)) as PostgresQueryResult<unknown>
    } catch (error) {
      if (!isUnavailable(error)) throw error
      isBroken = true
      throw new DatabaseUnavailableError('postgres', error)
    }
  }
  return {
    // The type's other form, with a cursor, is for streaming queries, which we do not use.
    query: query as PostgresPoolClient['query'],
    // The next query must not get a connection that the server is about to close.
    release: () => client.release(isBroken),
  }
}

/** SQLSTATE classes: connection, resources (disk, memory, connections), operator intervention, system error. */
const unavailableStates = /^(08|53|57P|58)/

function isUnavailable(error: unknown): boolean {
  // An error that is not the server's answer comes from a broken connection.
  return !(error instanceof pg.DatabaseError) || unavailableStates.test(error.code ?? '')
}
