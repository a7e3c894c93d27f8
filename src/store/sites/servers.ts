import type { Db } from '#store/database/database.ts'

/** What we learned about an account server. */
export interface Server {
  readonly host: string
  /** It looks into uploaded bytes and stores gzip under a media type of its own. */
  readonly sniffsGzip: boolean
  readonly updatedAt: number
}

export async function findServer(db: Db, host: string): Promise<Server | null> {
  const row = await db.selectFrom('servers').selectAll().where('host', '=', host).executeTakeFirst()
  return row ? { ...row, sniffsGzip: row.sniffsGzip === 1 } : null
}

export async function rememberServer(
  db: Db,
  { host, sniffsGzip }: { host: string; sniffsGzip: boolean },
  now: number,
): Promise<void> {
  const learned = { sniffsGzip: sniffsGzip ? 1 : 0, updatedAt: now } as const
  await db
    .insertInto('servers')
    .values({ host, ...learned })
    .onConflict((conflict) => conflict.column('host').doUpdateSet(learned))
    .execute()
}
