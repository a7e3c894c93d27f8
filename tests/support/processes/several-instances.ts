import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import type { OwnDatabase } from '#tests/support/database/databases.ts'
import { AppClient } from '../../../devnet/app-client.ts'
import type { Network } from '../../../devnet/start.ts'
import { ownPort } from './own-port.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

interface SeveralOptions {
  /** Each instance has a data folder in it. */
  readonly dir: string
  readonly network: Network
  readonly own: OwnDatabase
  /** Of the bucket's server. */
  readonly s3: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Instances on one database and one bucket, as machines behind a balancer are. */
export class SeveralInstances implements AsyncDisposable {
  readonly #options: SeveralOptions
  readonly #ports: number[] = []
  readonly #internalPorts: number[] = []
  readonly #running: (ServiceProcess | null)[] = []
  readonly #balancerPort: number

  private constructor(options: SeveralOptions, balancerPort: number) {
    this.#options = options
    this.#balancerPort = balancerPort
  }

  static async open(options: SeveralOptions, count: number): Promise<SeveralInstances> {
    const several = new SeveralInstances(options, Number(await ownPort()))
    for (let n = 0; n < count; n++) {
      several.#ports.push(Number(await ownPort()))
      several.#internalPorts.push(Number(await ownPort()))
      several.#running.push(null)
    }
    return several
  }

  /** Where a balancer would be; nobody listens there. */
  get app(): string {
    return `http://127.0.0.1:${this.#balancerPort}`
  }

  settingsOf(n: number): Record<string, string> {
    const { environment, network, own, s3 } = this.#options
    return {
      ...devSettings(network),
      ...{ LOG_LEVEL: 'warning', SHUTDOWN_SECONDS_MAX: '0', BASE_URL: this.app },
      ...{ DATABASE_URL: own.options.url ?? '', BLOBS_URL: `s3://blobs?endpoint=${s3}` },
      ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'a-secret-of-the-bucket' },
      ...{ SECRET_KEY: 'a secret of all instances that is long enough' },
      ...{ INTERNAL_TOKEN: 'a-token-of-all-instances' },
      INTERNAL_LISTEN: `127.0.0.1:${this.#internalPorts[n]}`,
      PORT: `${this.#ports[n]}`,
      ...environment,
    }
  }

  dataOf(n: number): string {
    return join(this.#options.dir, `instance-${n}`)
  }

  async start(n: number, environment: Record<string, string> = {}): Promise<ServiceProcess> {
    const args = ['serve', '--data', this.dataOf(n)]
    const started = await startServiceProcess(args, { ...this.settingsOf(n), ...environment })
    this.#running[n] = started
    return started
  }

  running(n: number): ServiceProcess | null {
    return this.#running[n] ?? null
  }

  /** Sends a request of the application to this instance. */
  send(n: number, input: URL | string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(input, this.app)
    if (url.origin === this.app) url.port = `${this.#ports[n]}`
    return fetch(url, init)
  }

  /** A browser whose requests go where `next` says. */
  client(next: () => number): AppClient {
    return new AppClient(this.app, (url, init) => this.send(next(), String(url), init))
  }

  async visit(n: number, url: string): Promise<string> {
    const { host, pathname } = new URL(url)
    const at = `http://127.0.0.1:${this.#ports[n]}${pathname}`
    return await (await fetch(at, { headers: { host } })).text()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#running) await running?.[Symbol.asyncDispose]()
  }
}
