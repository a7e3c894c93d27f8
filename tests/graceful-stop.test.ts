import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { signInWithoutNetwork } from '#tests/support/publishing/slow-uploads.ts'
import { goLive, snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'
import { eventually } from './support/eventually.ts'

// A service that is told to stop while people are in the middle of something.

const secret = 'a secret of thirty-two characters'
const filmBytes = 40_000_000

let dir: string
/** Takes connections and never answers: jobs that wait for it stay under way. */
let silent: Server
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-stop-'))
  silent = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
})
afterEach(async () => {
  silent.close()
  await rm(dir, { recursive: true, force: true })
})

function start(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  return startServiceProcess(['serve', '--port', '0', '--data', dir], {
    LOG_LEVEL: 'error',
    SECRET_KEY: secret,
    PLC_URL: `http://127.0.0.1:${(silent.address() as { port: number }).port}`,
    FIREHOSE_URL: 'http://127.0.0.1:9',
    ALLOW_PRIVATE_HOSTS: '1',
    ...environment,
  })
}

test('what is under way is ended well', async () => {
  const host = await storeFilm(dir)
  await using service = await start()
  const [cookie = '', other = ''] = await signInWithoutNetwork(dir, secret, 2)
  const port = Number(new URL(service.ready.app).port)
  const open = (request: string) => new Conversation(port, request)
  const form = formOf('film')

  // First: it has begun when what comes after it is answered.
  const upload = open(
    requestOf('POST /sitehost/upload-files', cookie, form) + form.text.slice(0, -20),
  )
  const download = downloadOf(host, port)
  const idle = open(requestOf('GET /healthz'))
  const silentOne = open('')
  const queued = open(requestOf('POST /sitehost/upload-files', other, form) + form.text)
  await eventually(async () => expect(queued.text).toContain('"jobId"'))
  const jobId = /"jobId":"([^"]+)"/.exec(queued.text)?.[1]
  const progress = open(requestOf(`GET /sitehost/upload-progress/${jobId}`, other))
  await eventually(async () => {
    expect(download.text).toStartWith('HTTP/1.1 200 ')
    expect(idle.text).toEndWith('\r\n\r\nok')
    expect(progress.text).toContain('event: progress')
  })

  process.kill(service.pid, 'SIGTERM')
  await eventually(async () => {
    const ready = await fetch(`${service.ready.app}/readyz`)
    expect([ready.status, await ready.text()]).toEqual([503, 'not ready\nThe service is stopping.'])
  })
  // Who comes now is still served, and told to come by another connection the next time.
  const page = open(`GET / HTTP/1.1\r\nhost: ${host}:${port}\r\n\r\n`)
  const late = open(requestOf('POST /sitehost/upload-files', cookie, form) + form.text)
  await eventually(async () => {
    expect(page.text).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n[\s\S]*home/i)
    expect(late.text).toMatch(
      /^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: \d+\r\n[\s\S]*Sitehost is restarting/i,
    )
    expect(late.text).toMatch(/\r\nx-sitehost-not-begun: 1\r\n/i)
    for (const ended of [page, late, idle, progress]) expect(ended.hasEnded).toBeTrue()
  })
  expect(progress.text).toEndWith('\r\n0\r\n\r\n')

  upload.send(form.text.slice(-20))
  await eventually(async () => expect(upload.text).toMatch(/^HTTP\/1\.1 200 [\s\S]*"jobId"/))
  download.resume()
  expect(await service.exited).toBe(0)
  await eventually(async () => expect(download.hasEnded).toBeTrue())
  expect(download.bodyBytes).toBe(filmBytes)
  silentOne.end()

  await using database = openDatabase({ file: join(dir, 'sitehost.db') })
  const jobs = await database.db.selectFrom('jobs').select('finishedAt').execute()
  expect(jobs).toEqual([{ finishedAt: null }, { finishedAt: null }])
}, 120_000)

test('what does not end in time is told, or cut', async () => {
  const host = await storeFilm(dir)
  await using service = await start({ SHUTDOWN_SECONDS_MAX: '3' })
  const [cookie = ''] = await signInWithoutNetwork(dir, secret, 1)
  const port = Number(new URL(service.ready.app).port)
  const form = formOf('film')
  // First: it has begun when the download is answered.
  const upload = new Conversation(
    port,
    requestOf('POST /sitehost/upload-files', cookie, form) + form.text.slice(0, -20),
  )
  const download = downloadOf(host, port)
  await eventually(async () => expect(download.text).toStartWith('HTTP/1.1 200 '))
  expect(await service.end('SIGTERM')).toBe(0)
  expect(upload.text).toMatch(/^HTTP\/1\.1 503 [\s\S]*Sitehost is restarting/i)
  expect(upload.text).not.toMatch(/x-sitehost-not-begun/i)
  download.end()
}, 120_000)

test('a second signal ends it at once', async () => {
  const host = await storeFilm(dir)
  await using service = await start({ SHUTDOWN_SECONDS_MAX: '3600' })
  const port = Number(new URL(service.ready.app).port)
  const download = downloadOf(host, port)
  await eventually(async () => expect(download.text).toStartWith('HTTP/1.1 200 '))
  const ended: number[] = []
  void service.exited.then((code) => ended.push(code))
  await eventually(async () => {
    if (ended.length === 0) process.kill(service.pid, 'SIGTERM')
    expect(ended).toEqual([143])
  })
  download.end()
}, 120_000)

/** Downloads the film and stops reading after its first bytes, until `resume`: a fast machine would have all of it in milliseconds. */
function downloadOf(host: string, port: number): Conversation {
  const download = new Conversation(port, `GET /film.bin HTTP/1.1\r\nhost: ${host}:${port}\r\n\r\n`)
  download.pauseAfterFirstBytes()
  return download
}

/** Makes a data folder with a site that has a page and a film; the site's host name. */
async function storeFilm(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  await using database = openDatabase({ file: join(dataDir, 'sitehost.db') })
  await migrate(database)
  const blobs = diskBlobStore({ dir: join(dataDir, 'blobs') })
  const film = new Uint8Array(filmBytes).map((_, i) => (i * 31) ^ (i >> 8))
  const samples = {
    'index.html': storedFile({ body: '<h1>home</h1>' }),
    'film.bin': storedFile({ body: film, contentType: 'application/octet-stream' }),
  }
  for (const { stored } of Object.values(samples)) await blobs.put(stored)
  const files = Object.entries(samples).map(([path, { file }]) => [path, file] as const)
  return `${await goLive(database.db, snapshotOf(Object.fromEntries(files)))}.localhost`
}

interface Form {
  readonly type: string
  readonly text: string
}

function formOf(siteName: string): Form {
  const part = (field: string, content: string) =>
    `--form\r\ncontent-disposition: form-data; ${field}\r\n\r\n${content}\r\n`
  return {
    type: 'multipart/form-data; boundary=form',
    text:
      part('name="siteName"', siteName) +
      part('name="files"; filename="index.html"', '<h1>home</h1>') +
      '--form--\r\n',
  }
}

function requestOf(target: string, cookie?: string, form?: Form): string {
  const body = form && `content-type: ${form.type}\r\ncontent-length: ${form.text.length}\r\n`
  return `${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n${cookie ? `cookie: ${cookie}\r\n` : ''}${body ?? ''}\r\n`
}

/** A connection on which this was sent, and what comes back. */
class Conversation {
  readonly #socket: Socket
  /** Of what came, the beginning and the end. */
  #head = Buffer.alloc(0)
  #bytes = 0
  hasEnded = false

  constructor(port: number, request: string) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length
      if (this.#head.length < 10_000)
        this.#head = Buffer.concat([this.#head, chunk.subarray(0, 10_000)])
    })
    this.#socket.on('end', () => {
      this.hasEnded = true
    })
    // A connection that is reset does not end.
    this.#socket.on('error', () => undefined)
    this.#socket.write(request)
  }

  get text(): string {
    return this.#head.toString('latin1')
  }

  get bodyBytes(): number {
    return this.#bytes - (this.#head.indexOf('\r\n\r\n') + 4)
  }

  send(text: string): void {
    this.#socket.write(text)
  }

  /** Reads nothing more once something has come. */
  pauseAfterFirstBytes(): void {
    this.#socket.once('data', () => this.#socket.pause())
  }

  resume(): void {
    this.#socket.resume()
  }

  end(): void {
    this.#socket.destroy()
  }
}
