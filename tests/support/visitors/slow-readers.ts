import { mkdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import type { ServiceProcess } from '#tests/support/processes/service-process.ts'
import { goLive, type SampleFile, snapshotOf, storedFile } from './served-site.ts'

const largeFileBytes = 10_000_000
const bytesPerSecond = 1000
const sampleEveryMs = 250

/** Takes a good half as gzip. */
const digits = Buffer.from(crypto.getRandomValues(new Uint8Array(largeFileBytes / 2)).toHex())
const large = { body: new Uint8Array(digits), contentType: 'application/octet-stream' }
const samples = {
  'index.html': { body: '<h1>home</h1>' },
  /** Sent as it is stored. */
  'stored.bin': large,
  /** Decoded on its way to those who do not take gzip. */
  'decoded.bin': { ...large, gzip: true },
} satisfies Record<string, SampleFile>

export type LargeFile = Exclude<keyof typeof samples, 'index.html'>

/** Makes a data folder with a site that has a page and files of 10 MB; the site's host name. */
export async function storeLargeFiles(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  await using database = openDatabase({ file: join(dataDir, 'sitehost.db') })
  await migrate(database)
  const blobs = diskBlobStore({ dir: join(dataDir, 'blobs') })
  const files = Object.entries(samples).map(([path, sample]) => [path, storedFile(sample)] as const)
  for (const [, { stored }] of files) await blobs.put(stored)
  const entries = Object.fromEntries(files.map(([path, { file }]) => [path, file]))
  return `${await goLive(database.db, snapshotOf(entries))}.localhost`
}

interface SlowReading {
  readonly host: string
  readonly path: LargeFile
  readonly readers: number
  readonly seconds: number
}

interface SlowReadingEnd {
  /** Of resident memory, at most. */
  readonly growthBytes: number
  /** What others waited for the page meanwhile, shortest first. */
  readonly pageMs: readonly number[]
  /** Readers whose answer began, and has not ended. */
  readonly reading: number
}

/** So many readers take a file of 10 MB at 1 kB a second each, for a while, while others visit the page. */
export async function readSlowly(
  service: ServiceProcess,
  { host, path, readers, seconds }: SlowReading,
): Promise<SlowReadingEnd> {
  const port = Number(new URL(service.ready.app).port)
  const page = new URL(`http://${host}:${port}/`)
  for (let i = 0; i < warmUpVisits; i++) await visitMs(page)
  const before = await service.residentBytes()
  let peak = before
  const sampler = setInterval(() => {
    void service.residentBytes().then((bytes) => {
      peak = Math.max(peak, bytes)
    })
  }, sampleEveryMs)
  const open = Array.from({ length: readers }, () => new SlowReader(port, host, path))
  const pageMs: number[] = []
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    pageMs.push(await visitMs(page))
    await Bun.sleep(pauseMs)
  }
  clearInterval(sampler)
  const reading = open.filter((reader) => reader.isReading).length
  for (const reader of open) reader.end()
  return { growthBytes: peak - before, pageMs: pageMs.toSorted((a, b) => a - b), reading }
}

const warmUpVisits = 500
/** Between two visits, so that the load is that of the readers. */
const pauseMs = 10

async function visitMs(page: URL): Promise<number> {
  const began = performance.now()
  const answer = await fetch(page)
  await answer.bytes()
  if (answer.status !== 200) throw new Error(`the page is ${answer.status}`)
  return performance.now() - began
}

/** One who takes what the socket has, and then nothing for as long as that lasts at the pace. */
class SlowReader {
  readonly #socket: Socket
  #timer: Timer | undefined
  #hasBegun = false
  #hasEnded = false

  constructor(port: number, host: string, path: LargeFile) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.on('data', (chunk: Uint8Array) => this.#take(chunk))
    this.#socket.on('close', () => {
      this.#hasEnded = true
    })
    // What breaks is closed too, and that is what counts.
    this.#socket.on('error', () => undefined)
    this.#socket.write(`GET /${path} HTTP/1.1\r\nhost: ${host}:${port}\r\n\r\n`)
  }

  get isReading(): boolean {
    return this.#hasBegun && !this.#hasEnded
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#socket.destroy()
  }

  #take(chunk: Uint8Array): void {
    this.#hasBegun ||= Buffer.from(chunk).toString('latin1').startsWith('HTTP/1.1 200 ')
    this.#socket.pause()
    this.#timer = setTimeout(() => this.#socket.resume(), (chunk.length / bytesPerSecond) * 1000)
  }
}
