import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { programPath } from '#tests/support/require.ts'

const debianHome = '/usr/lib/postgresql'

/** Where the newest PostgreSQL of this machine has its programs, which only Debian's pg_ctlcluster is in the PATH for; undefined: there is none. */
export const postgresPrograms = programPath('pg_ctlcluster')
  ? readdirSync(debianHome)
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => join(debianHome, version, 'bin'))
      .find((dir) => existsSync(join(dir, 'initdb')))
  : undefined

/**
 * A PostgreSQL of a test's own: a primary and a standby that has what was committed before the client hears of it. What
 * a process that is killed leaves is on the disk; what a machine would leave is not (`fsync = off`).
 */
export class PostgresPair implements AsyncDisposable {
  readonly #dir: string
  #primary: Server
  #standby: Server | null = null
  #standbys = 0

  /** `dir` is made, for PostgreSQL's own user where we are root. */
  static async start(dir: string): Promise<PostgresPair> {
    await mkdir(dir, { recursive: true })
    if (isRoot) await chown(dir, ...(await idsOfPostgres()))
    await chmod(dir, 0o700)
    const pair = new PostgresPair(dir, await newServer(dir, 'first'))
    const data = pair.#primary.data
    await run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8')
    await pair.#primary.start()
    await pair.addStandby()
    return pair
  }

  private constructor(dir: string, primary: Server) {
    this.#dir = dir
    this.#primary = primary
  }

  /** Of the server that takes writes. */
  get port(): number {
    return this.#primary.port
  }

  url(database: string, port = this.port): string {
    return `postgres://postgres@127.0.0.1:${port}/${database}`
  }

  async query(database: string, statement: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database) })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows
    } finally {
      await client.end()
    }
  }

  /** Ends its connections and starts it again, on the same port. */
  async restart(): Promise<void> {
    await this.#primary.stop('SIGINT')
    await this.#primary.start()
  }

  /** Kills the primary; the standby takes its place, at another port, and has no standby. */
  async switchOver(): Promise<void> {
    if (this.#standby === null) throw new Error('there is no standby')
    await this.#primary.stop('SIGQUIT')
    this.#primary = this.#standby
    this.#standby = null
    await run('pg_ctl', 'promote', '-D', this.#primary.data, '-w')
    await this.query('postgres', `alter system set synchronous_standby_names = ''`)
    await this.query('postgres', 'select pg_reload_conf()')
  }

  /** Makes a standby of the primary, and has it confirm every commit from now on. */
  async addStandby(): Promise<void> {
    const standby = await newServer(this.#dir, `standby-${++this.#standbys}`)
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres']
    const how = ['-R', '-X', 'stream', '-c', 'fast', '--no-sync']
    await run('pg_basebackup', ...from, '-D', standby.data, ...how)
    await standby.start()
    await eventually(async () => {
      const [row] = await this.query(
        'postgres',
        'select count(*)::int as n from pg_stat_replication',
      )
      if (row?.['n'] !== 1) throw new Error('the standby does not follow')
    })
    await this.query('postgres', `alter system set synchronous_standby_names = '*'`)
    await this.query('postgres', 'select pg_reload_conf()')
    this.#standby = standby
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#primary.stop('SIGQUIT')
    await this.#standby?.stop('SIGQUIT')
  }
}

const isRoot = process.getuid?.() === 0

/** PostgreSQL refuses to run as root. It ends with this process, however this one ends. */
const asPostgres = isRoot
  ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--pdeathsig=QUIT']
  : ['setpriv', '--pdeathsig=QUIT']

interface Server {
  readonly port: number
  readonly data: string
  start(): Promise<void>
  stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
}

async function newServer(dir: string, name: string): Promise<Server> {
  const [port, data] = [Number(await ownPort()), join(dir, name)]
  const settings = {
    ...{ port, listen_addresses: '127.0.0.1', unix_socket_directories: dir },
    ...{ fsync: 'off', synchronous_commit: 'remote_write', max_connections: 100 },
    ...{
      wal_retrieve_retry_interval: '100ms',
      wal_level: 'replica',
      shared_buffers: '32MB',
      log_min_messages: 'fatal',
    },
  }
  const options = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  let child: Bun.Subprocess | undefined
  return {
    port,
    data,
    async start() {
      const command = [...asPostgres, join(postgresPrograms ?? '', 'postgres'), '-D', data]
      child = Bun.spawn([...command, ...options], {
        cwd: dir,
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: Bun.file(`${data}.log`),
      })
      await eventually(async () => {
        const client = new pg.Client({
          host: '127.0.0.1',
          port,
          user: 'postgres',
          database: 'postgres',
        })
        await client.connect()
        await client.end()
      })
    },
    async stop(signal) {
      child?.kill(signal)
      await child?.exited
    },
  }
}

async function idsOfPostgres(): Promise<[uid: number, gid: number]> {
  const [, uid, gid] =
    /^postgres:[^:]*:(\d+):(\d+):/m.exec(await Bun.file('/etc/passwd').text()) ?? []
  if (uid === undefined || gid === undefined) throw new Error('there is no user postgres')
  return [Number(uid), Number(gid)]
}

async function run(program: string, ...args: string[]): Promise<void> {
  const command = [...asPostgres, join(postgresPrograms ?? '', program), ...args]
  const child = Bun.spawn(command, { cwd: '/', stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const complaints = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${program}: ${complaints}`)
}
