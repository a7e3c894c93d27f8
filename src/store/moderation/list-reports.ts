import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { parseDid } from '#site/site-address.ts'
import { containsText } from '#store/database/contains-text.ts'
import type { Db } from '#store/database/database.ts'
import { firstMatches, isWithin, type Stretch } from '#store/database/search.ts'
import type { ReportKind } from '#store/database/tables/moderation-tables.ts'
import type { Report } from './reports.ts'

interface ReportQuery {
  readonly state?: Report['state'] | undefined
  readonly kind?: ReportKind | undefined
  /** A whole DID; or found in what the visitor sent, the site, the outcome or who handled it, in any case. Empty: all. */
  readonly search?: string | undefined
  /** Only reports with smaller ids. */
  readonly before?: number | undefined
  readonly limit: number
}

const searched = ['url', 'site', 'text', 'contact', 'outcome', 'handledBy']

/** Newest first. */
export async function listReports(
  db: Db,
  { state, kind, search = '', before, limit }: ReportQuery,
): Promise<Report[]> {
  return await firstMatches(db, {
    looksAtAll: search !== '' && parseDid(search) === null,
    after: before === undefined ? null : [before],
    limit,
    keyAt: async (after, rows) => {
      const row = await newest(db, { after, upTo: null }, state)
        .select('id')
        .limit(1)
        .offset(rows - 1)
        .executeTakeFirst()
      return row === undefined ? null : [row.id]
    },
    matchesIn: ({ limit, ...stretch }) =>
      newest(db, stretch, state)
        .selectAll()
        .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'other'))
        .$if(search !== '', (query) => query.where(matches(search)))
        .limit(limit)
        .execute(),
  })
}

function matches(search: string): RawBuilder<SqlBool> {
  const did = parseDid(search)
  return did === null ? containsText(searched, search) : sql<SqlBool>`did = ${did}`
}

const newest = (
  db: Db,
  stretch: Pick<Stretch, 'after' | 'upTo'>,
  state: Report['state'] | undefined,
) =>
  db
    .selectFrom('reports')
    .where(isWithin(['id'], stretch, 'desc'))
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'open'))
    .orderBy('id', 'desc')
