import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Spool } from '#publish/upload/spool.ts'
import type { SpoolFolder } from '#publish/upload/spool-folder.ts'
import type { SitePath } from '#site/path.ts'
import { base64Form, type EncodedFile, encodeFile } from './encode-file.ts'

let dir: string
let folder: SpoolFolder
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'encode-'))
  folder = await new Spool(dir).open(crypto.randomUUID())
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

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
  return await encodeFile(await spooled(path, content), folder, signal)
}
const stored = ({ content }: EncodedFile): Promise<Uint8Array> => content.bytes()

describe('gzip', () => {
  test('is kept where it saves, and gives the content back', async () => {
    const file = await encode('index.html', page)
    expect(file.coding).toBe('gzip')
    expect(file.content.size).toBeLessThan(page.length)
    expect(gunzipSync(await stored(file)).toString()).toBe(page)
    expect(file.source.bytes).toBe(page.length)
  })
  test('of the same content is the same bytes, without name and time', async () => {
    const [one, two] = [await encode('index.html', page), await encode('other.html', page)]
    expect(one.sha256).toBe(two.sha256)
    const bytes = await stored(one)
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
      const file = await encode(path, content)
      expect(file).toMatchObject({ coding: 'identity', sha256: file.source.sha256 })
      expect(Buffer.from(await stored(file))).toEqual(Buffer.from(content as Uint8Array))
    })
  }
})

const edges = [8, 192].flatMap((kib) => [-1, 0, 1].map((more) => [kib, more] as const))
test.each(edges)('a file of %i KiB and %i bytes is the gzip of its bytes', async (kib, more) => {
  const content = crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(2)
  const text = content.slice(0, kib * 1024 + more)
  const file = await encode('large.txt', text)
  expect(file.coding).toBe('gzip')
  const bytes = await stored(file)
  expect(gunzipSync(bytes).toString()).toBe(text)
  expect(file.sha256).toBe(new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))
})

test('an aborted signal ends the compression of a large file', async () => {
  const file = await spooled('big.html', page.repeat(10_000))
  const stop = new AbortController()
  const encoding = encodeFile(file, folder, stop.signal)
  stop.abort()
  await expect(encoding).rejects.toThrow('aborted')
})

describe('base64', () => {
  const check = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    const form = await base64Form(new Blob([bytes]), folder)
    const text = Buffer.from(bytes).toString('base64')
    expect(await form.content.text()).toBe(text)
    expect(form.sha256).toBe(new Bun.CryptoHasher('sha256').update(text).digest('hex'))
  }
  test('of up to ten bytes', async () => {
    for (let length = 0; length <= 10; length++) await check(Buffer.alloc(length, 0xfb))
  })
  test('of any bytes', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), check), { numRuns: 30 })
  })
  test('around the edges of chunks', async () => {
    const piece = 192 * 1024
    for (const length of [piece - 1, piece, piece + 1, 2 * piece, 2 * piece + 2, 3 * piece + 1]) {
      await check(Buffer.alloc(length, 'never the same at an edge'))
    }
  })
})
