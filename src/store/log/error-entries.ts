import type { Selectable } from 'kysely'
import type { LogEntry, Service } from '#observe/log-entry.ts'
import { containsText } from '#store/database/contains-text.ts'
import type { Db } from '#store/database/database.ts'
import { distinctInOrder } from '#store/database/distinct-in-order.ts'
import type { Schema } from '#store/database/schema.ts'
import { firstMatches, isWithin, type Stretch } from '#store/database/search.ts'
import { storableText } from '#store/database/storable-text.ts'
import { inTransaction } from '#store/database/transaction.ts'

/** All occurrences of one error: the same line of the log, from the same place in the code. */
export interface ErrorEntry
  extends Readonly<Omit<Selectable<Schema['errorEntries']>, 'context' | 'traceIds'>> {
  readonly context: LogEntry['context']
  /** Of the last requests that caused it, latest last. */
  readonly traceIds: readonly string[]
}

const traceIdsMax = 5
/** Frames that tell two errors apart. */
const framesMax = 3

/** Counts the entries of level `error`; others are ignored. Keeps context and stack of the latest. */
export async function countErrors(db: Db, entries: readonly LogEntry[]): Promise<void> {
  const errors = entries.filter(({ level }) => level === 'error')
  if (errors.length === 0) return
  const groups = Map.groupBy(errors, fingerprintOf)
  await inTransaction(db, async (transaction) => {
    for (const [fingerprint] of distinctInOrder([...groups], ([key]) => key)) {
      await countError(transaction, fingerprint, groups.get(fingerprint) ?? [])
    }
  })
}

async function countError(db: Db, fingerprint: string, same: readonly LogEntry[]): Promise<void> {
  const latest = same.at(-1) as LogEntry
  const known = await db
    .selectFrom('errorEntries')
    .select('traceIds')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  const earlier = JSON.parse(known?.traceIds ?? '[]') as string[]
  const traces = new Set([...earlier, ...same.flatMap(({ traceId }) => traceId ?? [])])
  const { stack, ...context } = latest.context
  const changed = {
    stack: typeof stack === 'string' ? storableText(stack) : null,
    context: JSON.stringify(context),
    lastSeen: latest.at,
    traceIds: JSON.stringify([...traces].slice(-traceIdsMax)),
  }
  await db
    .insertInto('errorEntries')
    .values({
      ...changed,
      fingerprint,
      service: latest.service,
      message: storableText(messageOf(latest)),
      count: same.length,
      firstSeen: same[0]?.at ?? latest.at,
    })
    .onConflict((conflict) =>
      conflict.column('fingerprint').doUpdateSet(({ eb, ref }) => ({
        ...changed,
        // Without two of these the row of another thread would be lost: counts only grow.
        count: eb('errorEntries.count', '+', ref('excluded.count')),
      })),
    )
    .execute()
}

/** The line and the error in it: `unhandled error: TypeError: x is not a function`. */
const messageOf = ({ context, message }: LogEntry): string =>
  typeof context['error'] === 'string' ? `${message}: ${context['error']}` : message

function fingerprintOf({ context, message, service }: LogEntry): string {
  const { stack, error } = context
  const frames = typeof stack === 'string' ? stack.split('\n').filter(isFrame) : []
  // The class, without a message that may have an id in it.
  const name = typeof error === 'string' ? /^[^:]*/.exec(error)?.[0] : ''
  const parts = [service, message, name, ...frames.slice(0, framesMax)]
  return new Bun.CryptoHasher('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)
}

const isFrame = (line: string): boolean => /^\s+at /.test(line)

const searched = ['message', 'context', 'stack', 'traceIds']

/** Most recently seen first, those after `after` in this order. */
export async function listErrorEntries(
  db: Db,
  { after, limit, search = '', service }: ErrorQuery,
): Promise<ErrorEntry[]> {
  const rows = await firstMatches(db, {
    looksAtAll: search !== '',
    after: after === undefined ? null : [after.lastSeen, after.fingerprint],
    limit,
    keyAt: async (after, rows) => {
      const row = await latest(db, { after, upTo: null })
        .select(order)
        .limit(1)
        .offset(rows - 1)
        .executeTakeFirst()
      return row === undefined ? null : [row.lastSeen, row.fingerprint]
    },
    matchesIn: ({ limit, ...stretch }) =>
      latest(db, stretch)
        .selectAll()
        .$if(service !== undefined, (query) => query.where('service', '=', service ?? 'main-app'))
        .$if(search !== '', (query) => query.where(containsText(searched, search)))
        .limit(limit)
        .execute(),
  })
  return rows.map((row) => ({
    ...row,
    context: JSON.parse(row.context) as LogEntry['context'],
    traceIds: JSON.parse(row.traceIds) as string[],
  }))
}

const order = ['lastSeen', 'fingerprint'] as const

const latest = (db: Db, stretch: Pick<Stretch, 'after' | 'upTo'>) =>
  db
    .selectFrom('errorEntries')
    .where(isWithin(order, stretch, 'desc'))
    .orderBy('lastSeen', 'desc')
    .orderBy('fingerprint', 'desc')

/** How many distinct errors were seen since then. */
export async function countErrorEntries(db: Db, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('errorEntries')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('lastSeen', '>=', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

interface ErrorQuery {
  readonly service?: Service | undefined
  /** Found in the message, or in facts, stack or traces of the last time, in any case; empty: all. */
  readonly search?: string | undefined
  readonly after?: Pick<ErrorEntry, 'lastSeen' | 'fingerprint'> | undefined
  readonly limit: number
}
