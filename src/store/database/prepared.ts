import { type Compilable, type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely'
import { chunksOf } from './chunks.ts'
import type { Db } from './database.ts'
import { plannedMark } from './postgres-dialect.ts'
import { isPostgres } from './transaction.ts'

/** Placeholders for the values of a run. */
type Named<Values> = { readonly [Name in keyof Values]: RawBuilder<Values[Name]> }

/**
 * A statement that is compiled once for each dialect, with the names of its first values: compiling takes several times as
 * long as SQLite takes to run it. For statements that run with every site of the network.
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, values: Named<Values>) => Compilable<Row>,
): (db: Db, values: Values) => Promise<QueryResult<Row>> {
  const compiled = compiledOnce<Row>()
  return (db, values) => {
    const query = compiled(db, () => build(db, namesOf(values)))
    return run(db, query, ({ name }) => Reflect.get(values, name))
  }
}

/**
 * As `prepared`, and each connection to PostgreSQL keeps its plan; planning takes several times as long as running it. The first
 * five executions on a connection are planned for their values; the sixth makes the generic plan that is kept, if that is no
 * costlier by estimate. For what visitors wait for, and finds a few rows by an index however many there are: a plan stays
 * until its tables are analyzed anew.
 */
export function planned<Values extends object, Row>(
  build: (db: Db, values: Named<Values>) => Compilable<Row>,
): (db: Db, values: Values) => Promise<QueryResult<Row>> {
  return prepared((db, values) => ({
    compile() {
      const compiled = build(db, values).compile()
      if (!isPostgres(db)) return compiled
      // PostgreSQL refuses to run a plan whose columns have changed, as when a newer release adds one.
      if (compiled.sql.includes('*')) throw new TypeError(`not with all columns: ${compiled.sql}`)
      return { ...compiled, sql: plannedMark + compiled.sql }
    },
  }))
}

/**
 * As `prepared`, for a list of values in any order, even with repetitions. Lists are filled up to a power of two by their
 * last value, so that few statements are compiled.
 */
export function preparedForList<Value, Row>(
  build: (db: Db, values: readonly RawBuilder<Value>[]) => Compilable<Row>,
): (db: Db, values: readonly Value[]) => Promise<Row[]> {
  const forItems = preparedForItems<{ value: Value }, object, Row>((db, items) => {
    const values = items.map(({ value }) => value)
    return build(db, values)
  })
  return (db, values) => {
    const items = values.map((value) => ({ value }))
    return forItems(db, items, {})
  }
}

/** Longer lists are split. */
const listMax = 512

/** As `preparedForList`, for items of several values each, together with values of the whole run. */
export function preparedForItems<Item extends object, Values extends object, Row>(
  build: (db: Db, items: readonly Named<Item>[], values: Named<Values>) => Compilable<Row>,
): (db: Db, items: readonly Item[], values: Values) => Promise<Row[]> {
  const bySize = new Map<number, CompiledOnce<Row>>()
  return async (db, items, values) => {
    const rows: Row[] = []
    for (const chunk of chunksOf(items, listMax)) {
      const last = chunk.at(-1) as Item
      const size = 2 ** Math.ceil(Math.log2(chunk.length))
      const compiled = bySize.get(size) ?? compiledOnce<Row>()
      bySize.set(size, compiled)
      const query = compiled(db, () => {
        const named = Array.from({ length: size }, (_, at) => namesOf(last, at))
        return build(db, named, namesOf(values))
      })
      const result = await run(db, query, ({ name, at }) =>
        Reflect.get(at === null ? values : (chunk[at] ?? last), name),
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

function namesOf<Values extends object>(values: Values, at: number | null = null): Named<Values> {
  const names = Object.keys(values).map((name) => [name, sql`${new Placeholder(name, at)}`])
  return Object.fromEntries(names)
}

type CompiledOnce<Row> = (db: Db, build: () => Compilable<Row>) => CompiledQuery<Row>

function compiledOnce<Row>(): CompiledOnce<Row> {
  const byDialect = new Map<'sqlite' | 'postgres', CompiledQuery<Row>>()
  return (db, build) => {
    const dialect = isPostgres(db) ? 'postgres' : 'sqlite'
    const compiled = byDialect.get(dialect) ?? build().compile()
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
