// `bun bench/publish.ts [rounds]`: what publishing costs beyond the bare `uploadBlob` calls, on the same
// account server, with the same stored bytes, eight at a time. Every round has accounts of its own, so
// that nothing is used again; rounds alternate, medians are shown.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { devSettings } from '#main/commands/dev-network.ts'
import { createAccount } from '#tests/support/accounts.ts'
import { openOAuthRepo } from '#tests/support/oauth-repo.ts'
import { type ServiceProcess, startServiceProcess } from '#tests/support/service-process.ts'
import { AppClient, type UploadFile } from '../devnet/app-client.ts'
import { type Devnet, startDevnet } from '../devnet/start.ts'

const rounds = Number(process.argv[2] ?? 3)
const kB = 1000
const MB = 1000 * kB

interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly budget: number | null
  readonly detail: string
}

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
      await bench.against('1000 files of 4 kB', 1.3, () => many(1000, 4 * kB, 'html', words)),
      await bench.against('100 files of 1 MB, incompressible', 1.2, () =>
        many(100, MB, 'jpg', noise),
      ),
      await bench.againWithOneChange(),
      await bench.whileCompressing(),
      await bench.against('100 files of 1 MB, compressible', null, () =>
        many(100, MB, 'txt', words),
      ),
      memory.stop(),
    )
  }
  await rm(dir, { recursive: true })
}

class PublishBench {
  #accounts = 0
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
    const files = many(1000, 4 * kB, 'html', words).map(uploadOf)
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
    const files = many(3, 95 * MB, 'txt', words).map(uploadOf)
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
    const { handle } = await createAccount(this.#network.pds, this.#nextHandle())
    // Signed in as the service is: a call with a password session costs the server half of that.
    const repo = await openOAuthRepo(this.#network, handle)
    const stored = files.map(storedForm)
    const start = performance.now()
    await mapAtOnce(stored, { atOnce: 8, signal: new AbortController().signal }, (bytes) =>
      repo.uploadBlob(new Blob([bytes])),
    )
    return performance.now() - start
  }

  async #freshClient(): Promise<AppClient> {
    const { handle } = await createAccount(this.#network.pds, this.#nextHandle())
    const client = new AppClient(this.#app)
    await client.signIn(handle, 'hunter2pass')
    return client
  }

  #nextHandle(): string {
    return `bench${this.#accounts++}.test`
  }
}

interface BenchFile {
  readonly path: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const uploadOf = ({ path, bytes }: BenchFile): UploadFile => ({ path, body: new Blob([bytes]) })

/** What publishing sends for a file: this server sniffs gzip, so it gets base64 (decisions §6). */
function storedForm({ bytes }: BenchFile): Uint8Array<ArrayBuffer> {
  const gzipped = gzipSync(bytes, { level: 9 })
  if (gzipped.length > bytes.length * 0.95) return bytes
  return new Uint8Array(Buffer.from(gzipped.toString('base64')))
}

function many(
  count: number,
  bytes: number,
  extension: string,
  make: (bytes: number) => Uint8Array<ArrayBuffer>,
): BenchFile[] {
  return Array.from({ length: count }, (_, i) => ({
    path: `page-${i}.${extension}`,
    bytes: make(bytes),
  }))
}

function noise(bytes: number): Uint8Array<ArrayBuffer> {
  const piece = crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)))
  return new Uint8Array(
    Buffer.concat(Array(Math.ceil(bytes / piece.length)).fill(piece)).subarray(0, bytes),
  ).map((byte, i) => byte ^ (i >> 16))
}

const dictionary = Array.from({ length: 2000 }, () => Math.random().toString(36).slice(2, 9))

/** Text that gzip makes about three times smaller. */
function words(bytes: number): Uint8Array<ArrayBuffer> {
  const piece: string[] = []
  for (let length = 0; length < Math.min(bytes, 2 * MB); length += 8) {
    piece.push(dictionary[Math.floor(Math.random() * dictionary.length)] ?? '')
  }
  const text = Buffer.from(piece.join(' ').padEnd(Math.min(bytes, 2 * MB)))
  return new Uint8Array(
    Buffer.concat(Array(Math.ceil(bytes / text.length)).fill(text)).subarray(0, bytes),
  )
}

function peakMemory(service: ServiceProcess) {
  let peak = 0
  const timer = setInterval(() => {
    void service.residentBytes().then((bytes) => {
      peak = Math.max(peak, bytes)
    })
  }, 50)
  return {
    stop(): Row {
      clearInterval(timer)
      const value = peak / 1024 / 1024
      return { what: 'resident memory, at most', value, unit: 'MB', budget: 256, detail: '' }
    },
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

function print(...rows: readonly Row[]): void {
  for (const { what, value, unit, budget, detail } of rows) {
    const verdict = budget === null ? '' : value <= budget ? `≤ ${budget}` : `OVER ${budget}`
    process.stdout.write(
      `${what.padEnd(54)}${`${value.toFixed(2)} ${unit}`.padStart(12)}  ${verdict.padEnd(10)}${detail}\n`,
    )
  }
}

await main()
