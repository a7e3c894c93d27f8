import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { preparedForItems } from '#store/database/prepared.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import type { IngestItem } from './ingest-queue.ts'

export const linesAtOnce = 1_000

/** Gives back items that were taken and not worked on: they wait in this line until they are taken from it. */
export function putInLine(db: Db, items: readonly IngestItem[], line: string): Promise<void> {
  return inSharedTransaction(db, async (transaction) => {
    await updateLine(transaction, items, { line })
  })
}

const updateLine = preparedForItems<SiteAddress, { line: string }, unknown>((db, sites, { line }) =>
  db
    .updateTable('ingestQueue')
    .set(({ eb }) => ({ line, leasedUntil: 0, attempts: eb('attempts', '-', 1) }))
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('did', 'name'),
        'in',
        sites.map(({ did, name }) => tuple(did, name)),
      ),
    ),
)

/**
 * The lines in which something waits, in alphabetical order after this one, `linesAtOnce` of them at most; one query
 * each, however many sites wait in them.
 */
export async function listIngestLines(db: Db, after = ''): Promise<string[]> {
  const lines: string[] = []
  while (lines.length < linesAtOnce) {
    const next = await db
      .selectFrom('ingestQueue')
      .select('line')
      .where('line', '>', lines.at(-1) ?? after)
      .orderBy('line')
      .limit(1)
      .executeTakeFirst()
    if (!next?.line) break
    lines.push(next.line)
  }
  return lines
}
