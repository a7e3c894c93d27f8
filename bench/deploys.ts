// `bun bench/deploys.ts [thousand|large|many] [rounds]`: large sites over the deploy routes. `thousand`: 1000 files of 4 kB;
// `large`: 3000 files of 100 kB; `many`: 10 000 files of 2 kB; all without an argument. Each is published, changed by one file, restored, and visited after a
// restart; next to it the bare calls of the same work, on the same account server. Medians of alternating rounds.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { type Devnet, startDevnet } from '../devnet/start.ts'
import { BareChange } from './deploys/bare-change.ts'
import { Calls, listed, logFile } from './deploys/calls.ts'
import {
  type Deployed,
  deploy,
  type Hashed,
  hashed,
  restore,
  untilListed,
} from './deploys/deployer.ts'
import { visitAfterRestart } from './deploys/first-visit.ts'
import { bareRepo, freshAccount, signedIn, uploadBare } from './support/account.ts'
import { kB, many, noise, words } from './support/files.ts'
import { cpuSeconds, peakMemory } from './support/processes.ts'
import { median, print, type Row, seconds } from './support/rows.ts'

const sites = {
  thousand: {
    what: '1000 files of 4 kB',
    changeBytesMax: null,
    make: () =>
      many(
        1000,
        (i) => `${i % 10}/page-${i}.html`,
        () => words(4 * kB),
      ),
    another: () => words(4 * kB),
  },
  large: {
    what: '3000 files of 100 kB',
    changeBytesMax: 700,
    make: () =>
      many(
        3000,
        (i) => `${i % 30}/image-${i}.jpg`,
        () => noise(100 * kB),
      ),
    another: () => noise(100 * kB),
  },
  many: {
    what: '10 000 files of 2 kB',
    changeBytesMax: null,
    make: () =>
      many(
        10_000,
        (i) => `${i % 100}/page-${i}.html`,
        () => words(2 * kB),
      ),
    another: () => words(2 * kB),
  },
} as const

type SiteKind = keyof typeof sites

const kinds = Object.keys(sites).filter((kind) => process.argv.includes(kind)) as SiteKind[]
const rounds = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 5)

async function main(): Promise<void> {
  for (const kind of kinds.length > 0 ? kinds : (Object.keys(sites) as SiteKind[])) {
    const dir = await mkdtemp(join(tmpdir(), 'sitehost-bench-'))
    {
      await using network = await startDevnet({ dir: join(dir, 'devnet'), logFile })
      const settings = {
        ...devSettings(network),
        LOG_LEVEL: 'error',
        METRICS_TOKEN: token,
        SHUTDOWN_SECONDS_MAX: '0',
      }
      const start = (port: string) =>
        startServiceProcess(['serve', '--port', port, '--data', join(dir, 'sitehost')], settings)
      const calls = new Calls(network, join(dir, 'devnet'))
      await using bench = new DeployBench(kind, {
        network,
        calls,
        start,
        service: await start('0'),
      })
      await bench.run()
    }
    await rm(dir, { recursive: true })
  }
}

const token = 'bench-metrics-token'

interface Place {
  readonly network: Devnet
  readonly calls: Calls
  /** Starts the service again on its data. */
  readonly start: (port: string) => Promise<ServiceProcess>
  service: ServiceProcess
}

class DeployBench implements AsyncDisposable {
  readonly #kind: SiteKind
  readonly #place: Place

  constructor(kind: SiteKind, place: Place) {
    this.#kind = kind
    this.#place = place
  }

  async run(): Promise<void> {
    const { network, service } = this.#place
    const { make, what } = sites[this.#kind]
    const files = make().map(hashed)
    const account = await freshAccount(network)
    const client = await signedIn(service.ready.app, account)
    const repo = await bareRepo(network, await freshAccount(network))
    const memory = peakMemory(service)
    const bare = await uploadBare(repo, files)
    const first = await this.#measured(() => deploy(client, 'site', files))
    const ms = totalOf(first.result)
    print({
      ...{ what: `${what}, published`, value: ms / bare, unit: '×', budget: 1.3 },
      detail: `${seconds(ms)} to ${seconds(bare)} bare; ${detailOf(first)}`,
    })
    const change = await BareChange.prepare(repo, network, account)
    const [earlier, last] = await this.#changes(client, change, files)
    await this.#restores(client, last.versionId, earlier.versionId)
    print({ ...memory.stop(), what: 'resident memory meanwhile, at most' })
    const page = new URL(files[0]?.path ?? '', last.url)
    print(...(await visitAfterRestart(page, this.#place, { token, rounds })))
  }

  /** With the whole list of files, and with the changed one only. Returns the last two: a site keeps ten versions, so the first may be gone. */
  async #changes(
    client: AppClient,
    bareChange: BareChange,
    files: readonly Hashed[],
  ): Promise<[earlier: Deployed, last: Deployed]> {
    const measured = { whole: [] as Measured<Deployed>[], base: [] as Measured<Deployed>[] }
    const bare: number[] = []
    const all = [...files]
    for (let round = 0; round < rounds; round++) {
      for (const form of ['whole', 'base'] as const) {
        const at = Math.floor(Math.random() * all.length)
        const { path = '' } = all[at] ?? {}
        const changed = hashed({ path, bytes: sites[this.#kind].another() })
        all[at] = changed
        bare.push(await bareChange.change({ path, bytes: sites[this.#kind].another() }))
        const one = await this.#measured(() =>
          form === 'whole'
            ? deploy(client, 'site', all)
            : deploy(client, 'site', [changed], { base: 'live' }),
        )
        measured[form].push(one)
      }
    }
    print(
      ...this.#rowsOf('one file changed, of the whole list', measured.whole, bare),
      ...this.#rowsOf('one file changed, with base', measured.base, bare),
    )
    const [earlier, last] = [measured.whole.at(-1)?.result, measured.base.at(-1)?.result]
    if (earlier === undefined || last === undefined) throw new Error('no round')
    return [earlier, last]
  }

  #rowsOf(what: string, all: readonly Measured<Deployed>[], bare: readonly number[]): Row[] {
    const { changeBytesMax } = sites[this.#kind]
    const results = all.map(({ result }) => result)
    const ms = (of: keyof Deployed['ms']): string =>
      seconds(median(results.map((one) => one.ms[of])))
    const took = median(results.map(totalOf))
    const middle = all.find(({ result }) => totalOf(result) === took)
    return [
      {
        ...{ what, value: took / 1000, unit: 's', budget: 1 },
        detail:
          `${(took / median(bare)).toFixed(1)} × ${seconds(median(bare))} bare; begin ${ms('begin')}, send ${ms('send')}, ` +
          `commit to live ${ms('publish')}; ${middle === undefined ? '' : detailOf(middle)}`,
      },
      {
        what: '  sent to us',
        value: median(results.map(({ sentBytes }) => sentBytes)) / kB,
        ...{ unit: 'kB', budget: changeBytesMax, detail: '' },
      },
    ]
  }

  async #restores(client: AppClient, ...versions: readonly [last: string, earlier: string]) {
    const measured: Measured<number>[] = []
    for (const version of versions) await untilListed(client, 'site', version)
    for (let round = 0; round < rounds; round++) {
      for (const version of versions.toReversed()) {
        measured.push(await this.#measured(() => restore(client, 'site', version)))
      }
    }
    const value = median(measured.map(({ result }) => result)) / 1000
    const detail = measured[0] === undefined ? '' : detailOf(measured[0])
    print({ what: 'restored, until it is live', value, unit: 's', budget: 1, detail })
  }

  async #measured<Result>(work: () => Promise<Result>): Promise<Measured<Result>> {
    const { calls, network, service } = this.#place
    await calls.take()
    const cpu = [await cpuSeconds(service.pid), await cpuSeconds(network.pid)] as const
    const result = await work()
    return {
      result,
      serviceCpu: (await cpuSeconds(service.pid)) - cpu[0],
      serverCpu: (await cpuSeconds(network.pid)) - cpu[1],
      calls: await calls.take(),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#place.service.end('SIGTERM')
  }
}

interface Measured<Result> {
  readonly result: Result
  readonly serviceCpu: number
  readonly serverCpu: number
  readonly calls: ReadonlyMap<string, number>
}

const totalOf = ({ ms }: Deployed): number => ms.begin + ms.send + ms.publish

const detailOf = ({ calls, serverCpu, serviceCpu }: Measured<unknown>): string =>
  `CPU ${serviceCpu.toFixed(2)} s of the service, ${serverCpu.toFixed(2)} s of the server; ${listed(calls)}`

await main()
