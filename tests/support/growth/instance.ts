import { join } from 'node:path'
import { ownPort } from '#tests/support/processes/own-port.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { TcpSwitch } from './tcp-switch.ts'

interface InstanceOptions {
  readonly name: string
  readonly dataDir: string
  /** What all instances have; `DATABASE_URL` and `BLOBS_URL` at the address of the servers themselves. */
  readonly shared: Readonly<Record<string, string>> & {
    readonly DATABASE_URL: string
    readonly BLOBS_URL: string
  }
  /** How far its clock is ahead, in seconds; 0: it has the true one, without what a false one costs. */
  readonly clockAheadSeconds: number
  /** Asks the database, whatever is cut. */
  query(statement: string): Promise<Record<string, unknown>[]>
}

/** libfaketime, of Debian's package `faketime`. */
export const fakeClock = [...new Bun.Glob('*/faketime/libfaketimeMT.so.1').scanSync('/usr/lib')]
  .map((path) => join('/usr/lib', path))
  .at(0)

/** One of several, as a process of its own, whose connections to PostgreSQL and to the bucket a test can cut. */
export class Instance implements AsyncDisposable {
  readonly name: string
  readonly port: number
  readonly #options: InstanceOptions
  readonly #settings: Record<string, string>
  readonly database: TcpSwitch
  readonly bucket: TcpSwitch
  /** What the others reach it by. */
  readonly internal: TcpSwitch
  readonly #internalPort: string
  #process: ServiceProcess | null = null

  static async start(options: InstanceOptions): Promise<Instance> {
    const { DATABASE_URL, BLOBS_URL } = options.shared
    const bucketUrl = new URL(new URL(BLOBS_URL).searchParams.get('endpoint') ?? '')
    const [database, bucket] = [
      await TcpSwitch.to(Number(new URL(DATABASE_URL).port)),
      await TcpSwitch.to(Number(bucketUrl.port)),
    ]
    const [port, internalPort] = [Number(await ownPort()), await ownPort()]
    const internal = await TcpSwitch.to(Number(internalPort))
    const one = new Instance(options, { port, database, bucket, internal, internalPort })
    await one.start()
    return one
  }

  private constructor(
    options: InstanceOptions,
    own: Pick<Instance, 'port' | 'database' | 'bucket' | 'internal'> & {
      readonly internalPort: string
    },
  ) {
    const { shared, clockAheadSeconds } = options
    this.#options = options
    this.name = options.name
    this.port = own.port
    this.database = own.database
    this.bucket = own.bucket
    this.internal = own.internal
    this.#internalPort = own.internalPort
    const databaseUrl = new URL(shared.DATABASE_URL)
    databaseUrl.port = String(own.database.port)
    this.#settings = {
      ...shared,
      PORT: String(own.port),
      INTERNAL_LISTEN: `127.0.0.1:${own.internalPort}`,
      DATABASE_URL: databaseUrl.href,
      BLOBS_URL: `s3://blobs?endpoint=http://127.0.0.1:${own.bucket.port}`,
      ...(clockAheadSeconds !== 0 && {
        LD_PRELOAD: fakeClock ?? '',
        FAKETIME: `${clockAheadSeconds < 0 ? '' : '+'}${clockAheadSeconds}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }),
    }
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  async start(): Promise<void> {
    const args = ['serve', '--data', this.#options.dataDir]
    this.#process = await startServiceProcess(args, this.#settings)
    await this.#readdress(this.#internalPort, this.internal.port)
  }

  async #readdress(from: number | string, to: number | string): Promise<void> {
    await this.#options.query(
      `update instances set address = replace(address, ':${from}', ':${to}')`,
    )
  }

  /** Whether it does this work for all. */
  async hasDuty(name: 'firehose'): Promise<boolean> {
    const [row] = await this.#options.query(`select holder from duties where name = '${name}'`)
    return String(row?.['holder']).startsWith(`${this.pid} `)
  }

  /** Ends it, or kills it; the exit code. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | undefined> {
    // The switch would accept connections when it has closed its port.
    if (signal === 'SIGTERM') await this.#readdress(this.internal.port, this.#internalPort)
    const ended = await this.#process?.end(signal)
    return ended
  }

  /** Stops it as a machine does that is suspended, or has it continue. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGHUP'): void {
    process.kill(this.pid, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL')
    await this.database[Symbol.asyncDispose]()
    await this.bucket[Symbol.asyncDispose]()
    await this.internal[Symbol.asyncDispose]()
  }
}
