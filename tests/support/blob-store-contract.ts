import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { type BlobStore, InvalidBlobHashError } from '#blobs/blob-store.ts'

interface TestedStore extends AsyncDisposable {
  readonly store: BlobStore
}

const mebibyte = 1024 * 1024
/** Hash of no bytes at all. */
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * What every implementation of BlobStore has to do. `make` gives an empty store; disposing it
 * removes it.
 */
export function blobStoreContract(name: string, make: () => Promise<TestedStore>): void {
  describe(`${name} keeps the contract of a blob store:`, () => {
    let tested: TestedStore
    let store: BlobStore
    beforeEach(async () => {
      tested = await make()
      store = tested.store
    })
    afterEach(() => tested[Symbol.asyncDispose]())

    test('what was put is opened under its hash', async () => {
      const bytes = new TextEncoder().encode('hello')
      const hash = sha256(bytes)
      expect(await store.put(bytes)).toEqual({ hash, bytes: 5 })
      expect(await contentOf(store, hash)).toEqual(bytes)
    })

    test('a stream is put in the order it comes', async () => {
      const { hash } = await store.put(streamOf('one ', '', 'two ', 'three'))
      expect(new TextDecoder().decode(await contentOf(store, hash))).toBe('one two three')
    })

    test('no bytes at all are a blob, too', async () => {
      expect(await store.put(new Uint8Array())).toEqual({ hash: emptyHash, bytes: 0 })
      expect(await store.put(streamOf())).toEqual({ hash: emptyHash, bytes: 0 })
      expect(await contentOf(store, emptyHash)).toEqual(new Uint8Array())
    })

    test('chunks that it may free are stored like others', async () => {
      const chunks = () => [patterned(mebibyte), patterned(mebibyte), patterned(5)]
      const source = Readable.from(chunks())
      const { hash } = await store.put(source, { mayFree: true })
      expect(hash).toBe(sha256(Buffer.concat(chunks())))
      expect(sha256((await contentOf(store, hash)) ?? new Uint8Array())).toBe(hash)
    })

    test('what was never put is not there', async () => {
      expect(await store.open(emptyHash)).toBeNull()
      expect(await store.has(emptyHash)).toBe(false)
      await store.delete(emptyHash)
    })

    test('what is there verifies, and what is not does not', async () => {
      const bytes = new TextEncoder().encode('hello')
      const { hash } = await store.put(bytes)
      expect(await store.verify(hash)).toEqual({ isIntact: true, bytes: 5 })
      await store.delete(hash)
      expect(await store.verify(hash)).toEqual({ isIntact: false, bytes: 0 })
    })

    test('a deleted blob is gone, and can be put again', async () => {
      const bytes = new TextEncoder().encode('hello')
      const { hash } = await store.put(bytes)
      expect(await store.has(hash)).toBe(true)
      await store.delete(hash)
      expect(await store.has(hash)).toBe(false)
      expect(await store.open(hash)).toBeNull()
      await store.put(bytes)
      expect(await contentOf(store, hash)).toEqual(bytes)
    })

    test('the same bytes are one blob, also when put at the same time', async () => {
      const puts = Array.from({ length: 10 }, () => store.put(patterned(mebibyte)))
      const hashes = new Set((await Promise.all(puts)).map(({ hash }) => hash))
      expect([...hashes]).toEqual([sha256(patterned(mebibyte))])
      expect(await listOf(store)).toEqual([...hashes])
      await store.put(patterned(mebibyte))
      expect(await contentOf(store, [...hashes][0] ?? '')).toEqual(patterned(mebibyte))
    })

    test('every blob is listed once', async () => {
      expect(await listOf(store)).toEqual([])
      const texts = Array.from({ length: 50 }, (_, n) => new TextEncoder().encode(`blob ${n}`))
      await Promise.all(texts.map((text) => store.put(text)))
      expect(await listOf(store)).toEqual(texts.map(sha256).sort())
    })

    test('a source that throws is passed on, and leaves nothing', async () => {
      const failure = new Error('the server went away')
      async function* source() {
        yield patterned(mebibyte)
        throw failure
      }
      await expect(store.put(source())).rejects.toBe(failure)
      expect(await listOf(store)).toEqual([])
    })

    test.each([
      '',
      'abc',
      emptyHash.toUpperCase(),
      `${emptyHash}0`,
      `../../../${emptyHash.slice(9)}`,
      `${emptyHash}\n`,
    ])('a key that is no hash is refused: %j', async (key) => {
      await expect(store.open(key)).rejects.toThrow(InvalidBlobHashError)
      await expect(store.has(key)).rejects.toThrow(InvalidBlobHashError)
      await expect(store.delete(key)).rejects.toThrow(InvalidBlobHashError)
    })

    test('a part of a blob can be read', async () => {
      const bytes = patterned(3 * mebibyte)
      const { hash } = await store.put(bytes)
      const blob = await store.open(hash)
      expect(blob?.size).toBe(bytes.byteLength)
      expect(await blob?.slice(mebibyte, mebibyte + 10).bytes()).toEqual(
        bytes.slice(mebibyte, mebibyte + 10),
      )
    })
  })
}

/** Bytes that differ from place to place. */
export function patterned(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, n) => (n * 31 + (n >> 8)) & 255)
}

export async function contentOf(store: BlobStore, hash: string): Promise<Uint8Array | undefined> {
  return await (await store.open(hash))?.bytes()
}

export async function listOf(store: BlobStore): Promise<string[]> {
  return (await Array.fromAsync(store.list())).sort()
}

export function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}

async function* streamOf(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}
