import { sql } from 'kysely'
import { type Finding, ok, problem, warning } from '#cli/diagnosis/finding.ts'
import { startFailureSentence } from '#main/process/start-failure.ts'
import { openDatabase } from '#store/database/database.ts'
import { pendingMigrations } from '#store/database/migrate.ts'
import { isPostgres } from '#store/database/transaction.ts'

const about = 'database'

interface Place {
  readonly url: string | undefined
  /** Of SQLite. */
  readonly file: string
}

/** Connects to the database and changes nothing in it. */
export async function checkDatabase({ url, file }: Place): Promise<Finding> {
  if (url === undefined && !(await Bun.file(file).exists())) {
    return ok(about, `there is none yet: the first start makes ${file}`)
  }
  try {
    await using database = openDatabase({ url, file })
    const version = await versionOf(database.db)
    if (!(await isWritable(database.db))) {
      return problem(
        about,
        `${version} may only be read`,
        'give its user the right to make and change tables; a standby has to become the primary',
      )
    }
    const pending = await pendingMigrations(database)
    if (pending.length === 0) return ok(about, `${version}, writable, up to date`)
    return warning(
      about,
      `${version}, writable, ${pending.length} migrations behind`,
      'the next start brings it up to date; run sitehost backup before, with the old version',
    )
  } catch (error) {
    const sentence = startFailureSentence(error)
    if (sentence === null) throw error
    return problem(about, sentence, 'correct DATABASE_URL or DATA_DIR, or start the server')
  }
}

type Db = ReturnType<typeof openDatabase>['db']

async function versionOf(db: Db): Promise<string> {
  if (isPostgres(db)) {
    const { rows } = await sql<{ version: string }>`select version() as version`.execute(db)
    return rows[0]?.version.split(' ').slice(0, 2).join(' ') ?? 'PostgreSQL'
  }
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db)
  return `SQLite ${rows[0]?.version}`
}

async function isWritable(db: Db): Promise<boolean> {
  // SQLite's transactions lock for writing when they begin: a file that may only be read fails there.
  if (!isPostgres(db)) {
    await db.transaction().execute(async () => undefined)
    return true
  }
  const { rows } = await sql<{ may: boolean }>`select
    not pg_is_in_recovery()
    and current_setting('transaction_read_only') = 'off'
    and has_schema_privilege(current_user, 'public', 'create') as may`.execute(db)
  return rows[0]?.may === true
}
