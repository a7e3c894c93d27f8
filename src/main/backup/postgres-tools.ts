import { sql } from 'kysely'
import { childEnvironment } from '#main/config/config.ts'
import { StartError } from '#main/process/start-failure.ts'
import { openDatabase } from '#store/database/database.ts'

// PostgreSQL's own programs. The password goes to them in the environment: every user of the machine can read arguments.

/** How much of what they complain about is passed on. */
const complaintCharsMax = 400

/** Writes all tables at one moment to `target`. Throws StartError with what to do where `pg_dump` cannot. */
export async function dumpPostgres(url: string, target: string): Promise<void> {
  const program = await toolFor(url, 'pg_dump')
  await run(url, [
    program,
    '--format=custom',
    '--no-owner',
    '--no-privileges',
    `--exclude-schema=${asidePrefix}*`,
    '--exclude-table-data=visitor_salts',
    `--file=${target}`,
  ])
}

/** Throws StartError with what to do where `restorePostgres` has no usable `pg_restore`. */
export async function assertRestoreTool(url: string): Promise<void> {
  await toolFor(url, 'pg_restore')
}

/** Puts a dump into the database, all of it or nothing; tables of the same names are replaced. */
export async function restorePostgres(url: string, dump: string): Promise<void> {
  const program = await toolFor(url, 'pg_restore')
  await run(url, [
    program,
    '--clean',
    '--if-exists',
    '--no-owner',
    '--no-privileges',
    '--single-transaction',
    '--exit-on-error',
    dump,
  ])
}

const asidePrefix = 'before_restore_'

/** Keeps the tables of now in a schema of their own. Returns its name. */
export async function movePostgresAside(url: string, at: number): Promise<string> {
  const schema = `${asidePrefix}${at}`
  await using database = openDatabase({ url })
  await database.db.transaction().execute(async (transaction) => {
    await sql`alter schema public rename to ${sql.id(schema)}`.execute(transaction)
    await sql`create schema public`.execute(transaction)
  })
  return schema
}

export async function hasTables(url: string): Promise<boolean> {
  await using database = openDatabase({ url })
  const tables = await database.db.introspection.getTables()
  return tables.some(({ schema }) => schema === 'public')
}

// A program of an older version refuses the server; a newer one reads every older server.
async function toolFor(url: string, name: 'pg_dump' | 'pg_restore'): Promise<string> {
  const path = Bun.which(name)
  const server = await serverMajor(url)
  const instead = `install PostgreSQL’s client programs of version ${server} (Debian: postgresql-client-${server}), or run ${name} where the server is`
  if (path === null) throw new StartError(`${name} is not on the PATH: ${instead}`)
  const { stdout } = Bun.spawnSync([path, '--version'])
  const major = Number(/(\d+)/.exec(stdout.toString())?.[1])
  if (major >= server) return path
  throw new StartError(
    `${path} is of version ${major}, the server of version ${server}: ${instead}`,
  )
}

async function serverMajor(url: string): Promise<number> {
  await using database = openDatabase({ url })
  const { rows } = await sql<{ server_version_num: string }>`show server_version_num`.execute(
    database.db.withoutPlugins(),
  )
  return Math.floor(Number(rows[0]?.server_version_num) / 10_000)
}

async function run(url: string, [program = '', ...options]: readonly string[]): Promise<void> {
  const address = new URL(url)
  const password = decodeURIComponent(address.password)
  address.password = ''
  const child = Bun.spawn({
    cmd: [program, `--dbname=${address.href}`, ...options],
    env: childEnvironment(password === '' ? {} : { PGPASSWORD: password }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const complaints = (await new Response(child.stderr).text()).trim()
  if ((await child.exited) === 0) return
  throw new StartError(`${program} failed: ${complaints.slice(0, complaintCharsMax)}`)
}
