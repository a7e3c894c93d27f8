import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { createAccount } from '#tests/support/accounts.ts'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { type S3Server, startS3Server } from '#tests/support/servers/s3-server.ts'
import { pageUrl } from '#tests/support/visitors/plain-sites.ts'
import { type SteadyLoad, steadyLoad } from '#tests/support/visitors/steady-load.ts'
import { AppClient } from '../../../devnet/app-client.ts'
import { startSharedDevnet } from '../../../devnet/shared.ts'
import type { Network } from '../../../devnet/start.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { type Claimer, claimAll } from './claimers.ts'
import { Instance } from './instance.ts'
import { type Ledger, ledgerOf } from './ledger.ts'
import { PostgresPair } from './postgres-pair.ts'
import { fixedContent, Publisher } from './publisher.ts'
import { Visitors, versionAt } from './visitors.ts'

interface GrowthOptions {
  readonly publishers: number
  readonly claimers: number
  readonly visitorPauseMs: number
  /** Left out: the clocks of the instances are five minutes apart. */
  readonly haveTrueClocks?: boolean
}

const databaseName = 'sitehost'
/** Their clocks are five minutes apart, and none so wrong that an account's server refuses its DPoP proofs (at three minutes). */
const clockAheadSeconds = { one: -150, two: 150 }

/**
 * Two instances whose clocks are five minutes apart, with a PostgreSQL and its standby, a bucket and a balancer; accounts
 * that publish all the time, accounts that want the same names, and visitors.
 */
export class GrowthPlace implements AsyncDisposable {
  readonly postgres: PostgresPair
  readonly instances: readonly [Instance, Instance]
  readonly balancer: Balancer
  readonly visitors: Visitors
  readonly publishers: readonly Publisher[]
  readonly #claimers: readonly Claimer[]
  readonly #network: Network
  readonly #opened: AsyncDisposableStack
  readonly #port: number
  #names = 0
  readonly #given = new Map<string, readonly string[]>()

  static async start(options: GrowthOptions): Promise<GrowthPlace> {
    const dir = await mkdtemp(join(tmpdir(), 'sitehost-growth-'))
    // PostgreSQL's user looks into it.
    await chmod(dir, 0o711)
    await using opened = new AsyncDisposableStack()
    opened.defer(() => rm(dir, { recursive: true, force: true }))
    const network = opened.use(
      await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: false }),
    )
    const postgres = opened.use(await PostgresPair.start(join(dir, 'postgres')))
    await postgres.query('postgres', `create database ${databaseName}`)
    const s3: S3Server = opened.use(await startS3Server())
    const port = Number(await ownPort())
    const shared = {
      ...devSettings(network),
      DATABASE_URL: postgres.url(databaseName),
      BLOBS_URL: `s3://blobs?endpoint=${s3.endpoint}`,
      ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'a-secret-of-the-bucket' },
      ...{
        SECRET_KEY: 'a secret that all instances share',
        INTERNAL_TOKEN: 'the-token-of-all-instances',
      },
      ...{ BASE_URL: `http://127.0.0.1:${port}`, MAX_SUBDOMAINS: '1000', LOG_LEVEL: 'warning' },
    }
    const startInstance = async (name: 'one' | 'two') =>
      opened.use(
        await Instance.start({
          name,
          dataDir: join(dir, name),
          shared,
          clockAheadSeconds: options.haveTrueClocks ? 0 : clockAheadSeconds[name],
          query: (statement) => postgres.query(databaseName, statement),
        }),
      )
    const instances = [await startInstance('one'), await startInstance('two')] as const
    const ports = instances.map((instance) => instance.port)
    const balancer = opened.use(await startBalancer({ dir: join(dir, 'nginx'), port, ports }))
    const signedIn = async (handle: string) => {
      const { did } = await createAccount(network.pds, handle)
      const client = new AppClient(`http://127.0.0.1:${port}`)
      await client.signIn(handle, 'hunter2pass')
      return { did, client }
    }
    const many = <Made>(count: number, make: (n: number) => Promise<Made>) =>
      Promise.all(Array.from({ length: count }, (_, n) => make(n)))
    const publishers = await many(options.publishers, async (n) => {
      const account = await signedIn(`publisher${n}.test`)
      return new Publisher({ ...account, site: `site-${n}`, isDeployer: n % 2 === 1 })
    })
    const claimers = await many(options.claimers, (n) => signedIn(`claimer${n}.test`))
    await Promise.all(publishers.map((publisher) => publisher.publishNext()))
    const visitors = new Visitors({
      balancerPort: port,
      instances,
      publishers,
      pauseMs: options.visitorPauseMs,
    })
    const parts = { postgres, instances, balancer, visitors, publishers, claimers, network, port }
    const place = new GrowthPlace(parts, opened.move())
    await place.untilAllShow()
    return place
  }

  private constructor(
    parts: {
      postgres: PostgresPair
      instances: readonly [Instance, Instance]
      balancer: Balancer
      visitors: Visitors
      publishers: readonly Publisher[]
      claimers: readonly Claimer[]
      network: Network
      port: number
    },
    opened: AsyncDisposableStack,
  ) {
    this.postgres = parts.postgres
    this.instances = parts.instances
    this.balancer = parts.balancer
    this.visitors = parts.visitors
    this.publishers = parts.publishers
    this.#claimers = parts.claimers
    this.#network = parts.network
    this.#port = parts.port
    this.#opened = opened
  }

  /** Has everybody at work while something happens, and until all is well again; then what is lost, twice or torn so far. */
  async during(fault: () => Promise<unknown>): Promise<Ledger> {
    this.visitors.start()
    for (const publisher of this.publishers) publisher.start()
    await this.#untilEachPublishes(1)
    const names = this.#claimNames()
    await fault()
    await this.#untilEachPublishes(2)
    await Promise.all(this.publishers.map((publisher) => publisher.stop()))
    await names
    await this.untilAllShow()
    await this.visitors.stop()
    return await this.ledger()
  }

  /** Kills the primary, and leads everybody to its standby. */
  async switchOver(): Promise<void> {
    await this.postgres.switchOver()
    for (const { database } of this.instances) database.retarget(this.postgres.port)
  }

  /**
   * Starts every instance again, one after the other; the balancer leaves out the one that is not there. For how long each was
   * away, in milliseconds.
   */
  async replaceAll(): Promise<number[]> {
    const ports = this.instances.map(({ port }) => port)
    const away: number[] = []
    for (const instance of this.instances) {
      await this.balancer.use(ports.filter((port) => port !== instance.port))
      // One that nginx had sent there before would be refused.
      await this.balancer.drained()
      const began = performance.now()
      const code = await instance.end('SIGTERM')
      if (code !== 0) throw new Error(`an instance ended with ${code}`)
      await instance.start()
      away.push(performance.now() - began)
      await this.balancer.use(ports)
    }
    return away
  }

  /** How many names were wanted, and given to somebody. */
  get names(): { readonly wanted: number; readonly given: number } {
    const dids = [...this.#given.values()]
    return { wanted: dids.length, given: dids.filter(({ length }) => length > 0).length }
  }

  /** Of a page that is the same in all versions, at the balancer, without an end. */
  load(clients: number, pauseMs: number): SteadyLoad {
    const [publisher] = this.publishers
    if (publisher === undefined) throw new TypeError('nobody publishes')
    const { host } = pageUrl(`http://127.0.0.1:${this.#port}`, publisher.did, publisher.site)
    return steadyLoad({
      port: this.#port,
      request: `GET /fixed.txt HTTP/1.1\r\nhost: ${host}`,
      end: fixedContent,
      // nginx closes kept connections, idle or not yet, when it is told where to go.
      clients: { fresh: clients, kept: 0 },
      pauseMs,
    })
  }

  ledger(): Promise<Ledger> {
    return ledgerOf({
      publishers: this.publishers,
      visitors: this.visitors,
      given: this.#given,
      pds: this.#network.pds,
      query: (statement) => this.postgres.query(databaseName, statement),
      versionNow: (publisher) => versionAt(publisher, this.instances[0].port, '/'),
    })
  }

  /** Waits until visitors of each instance get the newest version of every site that is published. */
  async untilAllShow(): Promise<void> {
    for (const publisher of this.publishers) {
      for (const { name, port } of this.instances) {
        await eventually(async () => {
          const version = await versionAt(publisher, port, '/')
          if (version >= publisher.completed) return
          throw new Error(
            `${name} shows ${version} of ${publisher.site}, not ${publisher.completed}`,
          )
        })
      }
    }
  }

  /** Each completes so many more versions than it has. */
  async #untilEachPublishes(more: number): Promise<void> {
    const targets = this.publishers.map((publisher) => publisher.completions + more)
    await eventually(async () => {
      for (const [n, { completions, refused, site }] of this.publishers.entries()) {
        if (completions >= (targets[n] ?? 0)) continue
        throw new Error(`${site} is not published any more: ${refused.slice(-3).join('; ')}`)
      }
    })
  }

  async #claimNames(): Promise<void> {
    const names = Array.from({ length: namesAtOnce }, () => `wanted-${this.#names++}`)
    for (const [name, dids] of await claimAll(this.#claimers, names)) this.#given.set(name, dids)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }
}

const namesAtOnce = 3
