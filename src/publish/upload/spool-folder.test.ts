import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGzip, gunzipSync } from 'node:zlib'
import { SpoolFolder, SpoolLimitError } from './spool-folder.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'spool-folder-'))
})
afterAll(() => rm(dir, { recursive: true }))

async function newFolder(): Promise<SpoolFolder> {
  return new SpoolFolder(await mkdtemp(join(dir, 'job-')))
}
async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}
const unlimited = { bytesMax: Number.POSITIVE_INFINITY }
const sha256 = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

test('files that are written one after the other lie in one pack, each whole', async () => {
  await using folder = await newFolder()
  const texts = ['one', '', 'three', 'three']
  const files = []
  for (const text of texts) files.push(await folder.write(chunks(...text), unlimited))
  expect(new Set(files.map(({ pack }) => pack)).size).toBe(1)
  expect(files.map(({ bytes, sha256 }) => [bytes, sha256])).toEqual(
    texts.map((text) => [text.length, sha256(text)]),
  )
  expect(await Promise.all(files.map((file) => folder.blob(file).text()))).toEqual(texts)
})

test('files that are written at once lie in packs of their own, which are used again', async () => {
  await using folder = await newFolder()
  const write = (text: string) => folder.write(chunks(text, text), unlimited)
  const files = [
    ...(await Promise.all([write('a'), write('bb'), write('c')])),
    ...(await Promise.all([write('dd'), write('e'), write('f')])),
  ]
  expect(new Set(files.map(({ pack }) => pack)).size).toBe(3)
  const texts = await Promise.all(files.map((file) => folder.blob(file).text()))
  expect(texts).toEqual(['aa', 'bbbb', 'cc', 'dddd', 'ee', 'ff'])
})

test('another that opens the folder reads what is there, and writes alongside it', async () => {
  const path = await mkdtemp(join(dir, 'job-'))
  const before = new SpoolFolder(path)
  const file = await before.write(chunks('kept'), unlimited)
  await before.sync()
  await before[Symbol.asyncDispose]()
  await using after = new SpoolFolder(path)
  await after.write(chunks('new'), unlimited)
  expect(await after.blob(file).text()).toBe('kept')
  expect(await after.bytesOnDisk()).toBe(7)
})

test('a step is run on the way', async () => {
  await using folder = await newFolder()
  const file = await folder.write(chunks('hello'), { ...unlimited, step: createGzip() })
  expect(gunzipSync(await folder.blob(file).bytes()).toString()).toBe('hello')
})

describe('gives its room to the next file', () => {
  test('when it is over its limit; one at it is kept', async () => {
    await using folder = await newFolder()
    const over = folder.write(chunks('12345', '123456'), { bytesMax: 10 })
    await expect(over).rejects.toBeInstanceOf(SpoolLimitError)
    const file = await folder.write(chunks('abcde', 'fghij'), { bytesMax: 10 })
    expect(await folder.blob(file).text()).toBe('abcdefghij')
    expect(await folder.bytesOnDisk()).toBe(10)
    expect((await folder.write(chunks(), { bytesMax: 0 })).bytes).toBe(0)
  })
  test('when its source fails', async () => {
    await using folder = await newFolder()
    async function* failing() {
      yield Buffer.from('x')
      throw new Error('reset')
    }
    await expect(folder.write(failing(), unlimited)).rejects.toThrow('reset')
    const file = await folder.write(chunks('y'), unlimited)
    expect(await folder.blob(file).text()).toBe('y')
    expect(await folder.bytesOnDisk()).toBe(1)
  })
})

test('an endless source is ended at the limit', async () => {
  let isEnded = false
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(65_536)
    } finally {
      isEnded = true
    }
  }
  await using folder = await newFolder()
  const writing = folder.write(endless(), { bytesMax: 1_000_000 })
  await expect(writing).rejects.toBeInstanceOf(SpoolLimitError)
  expect(isEnded).toBe(true)
})

describe('a file of its own is there only meanwhile', () => {
  test('with its bytes', async () => {
    const path = await mkdtemp(join(dir, 'job-'))
    await using folder = new SpoolFolder(path)
    const seen = await folder.whileOnDisk(chunks('zip'), 3, async (file, bytes) => {
      return [await Bun.file(file).text(), bytes]
    })
    expect(seen).toEqual(['zip', 3])
    expect(await readdir(path)).toEqual([])
  })
  test.each([
    ['its source is too long', 2, () => Promise.resolve(), SpoolLimitError],
    ['the work fails', 3, () => Promise.reject(new RangeError('no')), RangeError],
  ] as const)('also when %s', async (_, bytesMax, work, expected) => {
    const path = await mkdtemp(join(dir, 'job-'))
    await using folder = new SpoolFolder(path)
    const working = folder.whileOnDisk(chunks('zip'), bytesMax, work)
    await expect(working).rejects.toBeInstanceOf(expected)
    expect(await readdir(path)).toEqual([])
  })
})

async function* arriving(pieces: readonly Uint8Array[]) {
  yield* pieces
}

test('frees large chunks that may be freed once another one has followed, never the last one', async () => {
  await using folder = await newFolder()
  const [first, ...others] = [1, 2, 3].map((byte) => new Uint8Array(100_000).fill(byte)) as [
    Uint8Array,
    ...Uint8Array[],
  ]
  const whole = Buffer.concat([first, ...others])
  // A chunk in two pieces is freed after both.
  const pieces = arriving([first.subarray(0, 10), first.subarray(10), ...others])
  const file = await folder.write(pieces, { ...unlimited, mayFree: true })
  expect(whole.equals(await folder.blob(file).bytes())).toBe(true)
  expect([first, ...others].map(({ byteLength }) => byteLength)).toEqual([0, 0, 100_000])
})

test('frees no buffer of which more may come: a body’s next chunk may be in what is left of it', async () => {
  await using folder = await newFolder()
  const shared = new Uint8Array(100_000).fill(1)
  const pieces = [shared.subarray(0, 90_000), new Uint8Array(100_000), shared.subarray(90_000)]
  const whole = Buffer.concat(pieces)
  const file = await folder.write(arriving(pieces), { ...unlimited, mayFree: true })
  expect(whole.equals(await folder.blob(file).bytes())).toBe(true)
})

test('frees nothing small, which may be shared, and nothing without being allowed to', async () => {
  await using folder = await newFolder()
  const [small, large] = [new Uint8Array(8 * 1024), new Uint8Array(100_000)]
  await folder.write(arriving([small, large]), { ...unlimited, mayFree: true })
  await folder.write(arriving([large, small]), unlimited)
  expect([small.byteLength, large.byteLength]).toEqual([8 * 1024, 100_000])
})
