import { type Compilable, type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import { isPostgres } from './transaction.ts'

/** What stands for the values while a statement is built. */
type Named<Values> = { readonly [Name in keyof Values]: RawBuilder<Values[Name]> }

/**
 * A statement whose text is made once for each dialect, by its first use: making it takes several times as
 * long as SQLite takes to run it. For those that run with every site of the network; the values of each run
 * come by name.
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, values: Named<Values>) => Compilable<Row>,
): (db: Db, values: Values) => Promise<QueryResult<Row>> {
  const compiled = compiledOnce((db) => build(db, named()))
  return (db, values) => run(db, compiled(db), ({ name }) => Reflect.get(values, name))
}

/**
 * As `prepared`, for a list of values whose order does not matter, and in which one may be twice. There are
 * only a few texts: lists are filled up, by their last value, to a power of two.
 */
export function preparedForList<Value, Row>(
  build: (db: Db, values: readonly RawBuilder<Value>[]) => Compilable<Row>,
): (db: Db, values: readonly Value[]) => Promise<Row[]> {
  const forItems = preparedForItems<{ value: Value }, object, Row>((db, items) =>
    build(
      db,
      items.map(({ value }) => value),
    ),
  )
  return (db, values) =>
    forItems(
      db,
      values.map((value) => ({ value })),
      {},
    )
}

/** Longer lists go in pieces. */
const listMax = 512

/** Like `preparedForList`, for items of several values each, together with values of the whole run. */
export function preparedForItems<Item extends object, Values extends object, Row>(
  build: (db: Db, items: readonly Named<Item>[], values: Named<Values>) => Compilable<Row>,
): (db: Db, items: readonly Item[], values: Values) => Promise<Row[]> {
  const bySize = new Map<number, (db: Db) => CompiledQuery<Row>>()
  return async (db, items, values) => {
    const rows: Row[] = []
    for (let start = 0; start < items.length; start += listMax) {
      const piece = items.slice(start, start + listMax)
      const size = 2 ** Math.ceil(Math.log2(piece.length))
      const compiled = bySize.get(size) ?? compiledOnce((db) => build(db, named(size), named()))
      bySize.set(size, compiled)
      const result = await run(db, compiled(db), ({ name, at }) =>
        Reflect.get(at === null ? values : (piece[at] ?? (piece.at(-1) as Item)), name),
      )
      rows.push(...result.rows)
    }
    return rows
  }
}

class Placeholder {
  readonly name: string
  /** Of which item; null: of none. */
  readonly at: number | null

  constructor(name: string, at: number | null) {
    this.name = name
    this.at = at
  }
}

function named<Values extends object>(): Named<Values>
function named<Item extends object>(size: number): Named<Item>[]
function named(size?: number): object {
  if (size === undefined) return placeholders(null)
  return Array.from({ length: size }, (_, at) => placeholders(at))
}

const placeholders = (at: number | null): object =>
  new Proxy({}, { get: (_, name) => sql`${new Placeholder(String(name), at)}` })

function compiledOnce<Row>(build: (db: Db) => Compilable<Row>): (db: Db) => CompiledQuery<Row> {
  const byDialect = new Map<'sqlite' | 'postgres', CompiledQuery<Row>>()
  return (db) => {
    const dialect = isPostgres(db) ? 'postgres' : 'sqlite'
    const compiled = byDialect.get(dialect) ?? build(db).compile()
    byDialect.set(dialect, compiled)
    return compiled
  }
}

function run<Row>(
  db: Db,
  compiled: CompiledQuery<Row>,
  parameterOf: (placeholder: Placeholder) => unknown,
): Promise<QueryResult<Row>> {
  const parameters = compiled.parameters.map((parameter) =>
    parameter instanceof Placeholder ? parameterOf(parameter) : parameter,
  )
  return db.executeQuery({ ...compiled, parameters })
}
