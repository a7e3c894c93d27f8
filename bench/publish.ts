// `bun bench/publish.ts [rounds]`: what publishing costs beyond the bare `uploadBlob` calls, on the same
// account server, with the same stored bytes, eight at a time. Every round has accounts of its own, so
// that nothing is used again; rounds alternate, medians are shown.
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
import { bareRepo, freshAccount, signedIn, uploadBare } from './support/account.ts'
import { type BenchFile, kB, MB, many, noise, uploadOf, words } from './support/files.ts'
import { peakMemory } from './support/processes.ts'
import { median, print, type Row, seconds } from './support/rows.ts'

const rounds = Number(process.argv[2] ?? 3)

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-bench-'))
  {
    await using network = await startDevnet({ dir: join(dir, 'devnet') })
    await using service = await startServiceProcess(
      ['serve', '--port', '0', '--data', join(dir, 'sitehost')],
      { ...devSettings(network), LOG_LEVEL: 'error' },
    )
    const memory = peakMemory(service)
    const bench = new PublishBench(network, service)
    print(
      await bench.against('1000 files of 4 kB', 1.3, () =>
        pages(1000, 'html', () => words(4 * kB)),
      ),
      await bench.against('100 files of 1 MB, incompressible', 1.2, () =>
        pages(100, 'jpg', () => noise(MB)),
      ),
      await bench.againWithOneChange(),
      await bench.whileCompressing(),
      await bench.against('100 files of 1 MB, compressible', null, () =>
        pages(100, 'txt', () => words(MB)),
      ),
      memory.stop(),
    )
  }
  await rm(dir, { recursive: true })
}

class PublishBench {
  readonly #network: Devnet
  readonly #app: string

  constructor(network: Devnet, service: ServiceProcess) {
    this.#network = network
    this.#app = service.ready.app
  }

  /** The time from the upload's first byte to `done`, as a multiple of the bare calls' time. */
  async against(what: string, budget: number | null, make: () => BenchFile[]): Promise<Row> {
    const bare: number[] = []
    const published: number[] = []
    for (let round = 0; round < rounds; round++) {
      const files = make()
      const timings = [
        async () => bare.push(await this.#bare(files)),
        async () => published.push(await this.#publish(files)),
      ]
      for (const time of round % 2 ? timings.reverse() : timings) await time()
    }
    const detail = `${seconds(median(published))} to ${seconds(median(bare))} bare`
    return { what, value: median(published) / median(bare), unit: '×', budget, detail }
  }

  async againWithOneChange(): Promise<Row> {
    const client = await this.#freshClient()
    const times: number[] = []
    const uploads = new Set<unknown>()
    const files = pages(1000, 'html', () => words(4 * kB)).map(uploadOf)
    await client.publish('again', files)
    for (let round = 0; round < Math.max(rounds, 5); round++) {
      files[0] = { path: 'page-0.html', body: new Blob([words(4 * kB)]) }
      const start = performance.now()
      uploads.add((await client.publish('again', files))['uploadedCount'])
      times.push(performance.now() - start)
    }
    return {
      what: 'again, one of 1000 files changed',
      value: median(times) / 1000,
      unit: 's',
      budget: 0.5,
      detail: `uploads each: ${[...uploads].join(', ')}`,
    }
  }

  /** How long others wait for an answer while 300 MB of text are compressed. */
  async whileCompressing(): Promise<Row> {
    const client = await this.#freshClient()
    const files = pages(3, 'txt', () => words(95 * MB)).map(uploadOf)
    const answer = await client.upload('large', files)
    const { jobId } = (await answer.json()) as { jobId: string }
    let isOver = false
    const watching = client.watch(jobId).finally(() => {
      isOver = true
    })
    const waits: number[] = []
    while (!isOver) {
      const start = performance.now()
      await (await fetch(new URL('/healthz', this.#app))).text()
      waits.push(performance.now() - start)
      await Bun.sleep(5)
    }
    const { error } = await watching
    waits.sort((a, b) => a - b)
    return {
      what: 'p99 of /healthz while 285 MB of text are compressed',
      value: waits[Math.floor(waits.length * 0.99)] ?? Number.NaN,
      unit: 'ms',
      budget: 50,
      detail: error ?? `${waits.length} requests, longest ${waits.at(-1)?.toFixed(0)} ms`,
    }
  }

  async #publish(files: readonly BenchFile[]): Promise<number> {
    const client = await this.#freshClient()
    const uploads = files.map(uploadOf)
    const start = performance.now()
    await client.publish('bench', uploads)
    return performance.now() - start
  }

  async #bare(files: readonly BenchFile[]): Promise<number> {
    return await uploadBare(await bareRepo(this.#network, await freshAccount(this.#network)), files)
  }

  async #freshClient(): Promise<AppClient> {
    return await signedIn(this.#app, await freshAccount(this.#network))
  }
}

const pages = (count: number, extension: string, make: () => BenchFile['bytes']): BenchFile[] =>
  many(count, (i) => `page-${i}.${extension}`, make)

await main()
