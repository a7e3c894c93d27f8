import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { SitePath } from '#site/path.ts'
import { base64File, type EncodedFile, encodeFiles } from './encode-files.ts'
import { Spool, type SpoolFolder } from './spool.ts'

let dir: string
let folder: SpoolFolder
let jobId: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'encode-'))
  jobId = crypto.randomUUID()
  folder = await new Spool(dir).open(jobId)
})
afterAll(() => rm(dir, { recursive: true }))

const unlimited = { bytesMax: Number.POSITIVE_INFINITY }
const signal = new AbortController().signal
const page = '<p>hello</p>'.repeat(100)

async function* bytesOf(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content as Uint8Array)
}
const spooled = async (path: string, content: string | Uint8Array) => ({
  path: path as SitePath,
  ...(await folder.write(bytesOf(content), unlimited)),
})

async function encode(path: string, content: string | Uint8Array): Promise<EncodedFile> {
  const files = [await spooled(path, content)]
  const [encoded] = await encodeFiles(files, folder, { onEncoded: () => {}, signal })
  return encoded as EncodedFile
}
const storedBytes = (file: EncodedFile) => readFile(folder.path(file.stored.name))

describe('gzip', () => {
  test('is kept where it saves, and gives the content back', async () => {
    const file = await encode('index.html', page)
    expect(file).toMatchObject({ coding: 'gzip', mediaType: 'text/html' })
    expect(file.stored.bytes).toBeLessThan(page.length)
    expect(gunzipSync(await storedBytes(file)).toString()).toBe(page)
    expect(file.source.bytes).toBe(page.length)
  })
  test('of the same content is the same bytes, without name and time', async () => {
    const [one, two] = [await encode('index.html', page), await encode('other.html', page)]
    expect(one.stored.sha256).toBe(two.stored.sha256)
    const bytes = await storedBytes(one)
    // RFC 1952 §2.3: magic, deflate, no flags, no time, best compression.
    expect([...bytes.subarray(0, 9)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2])
  })
})

describe('stays as it is', () => {
  const noise = crypto.getRandomValues(new Uint8Array(5000))
  const facts: [string, string, string | Uint8Array][] = [
    ['an empty file', 'empty.html', ''],
    ['what compression makes larger', 'tiny.html', 'x'],
    ['what it saves less than 5 % of', 'noise.txt', noise],
    ['what is compressed by design', 'photo.jpg', page],
    ['a font', 'font.woff2', page],
  ]
  for (const [what, path, content] of facts) {
    test(what, async () => {
      const before = (await readdir(join(dir, jobId))).length
      const file = await encode(path, content)
      expect(file.coding).toBe('identity')
      expect(file.stored).toEqual(file.source)
      expect((await readdir(join(dir, jobId))).length).toBe(before + 1)
    })
  }
})

test('files come back in order, each told once', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `${i}.html`)
  const files = await Promise.all(
    names.map((name) => spooled(name, page.repeat(20 - Number.parseInt(name, 10)))),
  )
  const told: string[] = []
  const encoded = await encodeFiles(files, folder, {
    signal,
    onEncoded: ({ source }) => told.push(source.path),
  })
  expect(encoded.map(({ source }) => source.path as string)).toEqual(names)
  expect(told.toSorted()).toEqual(names.toSorted())
})

test('an aborted signal ends it, and no half file stays', async () => {
  const file = await spooled('big.html', page.repeat(1000))
  const before = await readdir(join(dir, jobId))
  const stop = new AbortController()
  const encoding = encodeFiles([file, file], folder, {
    signal: stop.signal,
    onEncoded: () => {},
  })
  stop.abort(new Error('stopped'))
  await expect(encoding).rejects.toThrow('stopped')
  expect(await readdir(join(dir, jobId))).toEqual(before)
})

describe('base64', () => {
  const check = async (bytes: Uint8Array): Promise<void> => {
    const file = await base64File(await folder.write(bytesOf(bytes), unlimited), folder)
    const text = await readFile(folder.path(file.name), 'latin1')
    expect(text).toBe(Buffer.from(bytes).toString('base64'))
    expect(file.bytes).toBe(text.length)
  }
  test('of up to ten bytes', async () => {
    for (let length = 0; length <= 10; length++) await check(Buffer.alloc(length, 0xfb))
  })
  test('of any bytes', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), check), { numRuns: 30 })
  })
  test('around the edges of chunks', async () => {
    for (const length of [65_535, 65_536, 65_537, 1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1]) {
      await check(Buffer.alloc(length, 'never the same at an edge'))
    }
  })
})
