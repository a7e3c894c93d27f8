import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { storableText } from './storable-text.ts'

/** Whether one of the columns contains the text, which is taken literally, in any case of its ASCII letters. */
export function containsText(columns: readonly string[], text: string): RawBuilder<SqlBool> {
  const literal = storableText(text).replace(/[!%_]/g, '!$&')
  const pattern = `%${literal.toLowerCase()}%`
  const each = columns.map(
    (column) => sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '!'`,
  )
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`
}
