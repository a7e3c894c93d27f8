import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Did, parseDid } from '#site/site-address.ts'
import { containsText } from '#store/database/contains-text.ts'
import type { Db } from '#store/database/database.ts'
import type { JobStatus } from '#store/database/schema.ts'
import { firstMatches, isWithin, type Key } from '#store/database/search.ts'
import { type Job, jobOf } from './jobs.ts'

interface JobSearch {
  /** A part of the id, the DID, the site's name or the error; empty: every job. */
  readonly search: string
  readonly status: JobStatus | null
  readonly after: Key | null
  readonly limit: number
}

const order = ['createdAt', 'id'] as const

/** Jobs, newest first. */
export async function searchJobs(db: Db, { search, status, ...page }: JobSearch): Promise<Job[]> {
  const found = await firstMatches(db, {
    ...page,
    looksAtAll: (search !== '' && parseDid(search) === null) || status !== null,
    keyAt: async (after, rows) => {
      const [row] = await newest(db)
        .where(isWithin(order, { after, upTo: null }, 'desc'))
        .limit(1)
        .offset(rows - 1)
        .execute()
      return row === undefined ? null : jobKey(row)
    },
    matchesIn: ({ limit, ...stretch }) =>
      newest(db)
        .where(isWithin(order, stretch, 'desc'))
        .$if(search !== '', (query) => query.where(matches(search)))
        .$if(status !== null, (query) => query.where('status', '=', status))
        .limit(limit)
        .execute(),
  })
  return await jobsById(
    db,
    found.map(({ id }) => id),
  )
}

function matches(search: string): RawBuilder<SqlBool> {
  const did = parseDid(search)
  return did === null
    ? containsText(['id', 'did', 'site', 'error'], search)
    : sql<SqlBool>`did = ${did}`
}

/** The account's last jobs, or those of one of its sites, newest first. */
export async function listLastJobs(
  db: Db,
  { did, site }: { readonly did: Did; readonly site?: string },
  limit: number,
): Promise<Job[]> {
  const rows = await newest(db)
    .where('did', '=', did)
    .$if(site !== undefined, (query) => query.where('site', '=', site as Job['site']))
    .limit(limit)
    .execute()
  return await jobsById(
    db,
    rows.map(({ id }) => id),
  )
}

export const jobKey = ({ createdAt, id }: Pick<Job, 'createdAt' | 'id'>): Key => [createdAt, id]

const newest = (db: Db) =>
  db.selectFrom('jobs').select(order).orderBy('createdAt', 'desc').orderBy('id', 'desc')

async function jobsById(db: Db, ids: readonly string[]): Promise<Job[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(jobOf)
}
