import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { crc32, gzipSync } from 'node:zlib'
import { fromBufferPromise } from 'yauzl'
import { BlobLostError, type BlobStore } from '#blobs/blob-store.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'
import { zipPieces } from './version-zip.ts'

let dir: string
let blobs: BlobStore
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-zip-'))
  blobs = diskBlobStore({ dir })
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function stored(content: Uint8Array, coding: 'gzip' | 'identity'): Promise<SnapshotFile> {
  const bytes = coding === 'gzip' ? gzipSync(content) : content
  const { hash } = await blobs.put(bytes)
  return {
    cid: 'cid',
    hash,
    coding,
    storedBytes: bytes.length,
    bytes: content.length,
    contentType: 'text/plain',
  }
}

async function zipOf(files: ReadonlyMap<string, SnapshotFile>, modifiedAt = 0): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(zipPieces(files, { blobs, modifiedAt })))
}

/** Names and contents, in the order of the archive; as strict as our own uploads. */
async function unzipped(zip: Buffer): Promise<[name: string, content: Buffer][]> {
  const found: [string, Buffer][] = []
  const archive = await fromBufferPromise(zip, { strictFileNames: true })
  for await (const entry of archive.eachEntry()) {
    const content = await buffer(await archive.openReadStreamPromise(entry))
    expect(crc32(content)).toBe(entry.crc32)
    found.push([entry.fileName, content])
  }
  return found
}

describe('a version as a zip', () => {
  test('holds the decoded files, however they are stored', async () => {
    const large = new Uint8Array(1_000_000).map((_, at) => (at * at) % 251)
    const contents: [string, Uint8Array, 'gzip' | 'identity'][] = [
      ['a/empty', new Uint8Array(), 'identity'],
      ['a/empty.gz', new Uint8Array(), 'gzip'],
      ['image.png', large, 'identity'],
      ['page.html', Buffer.from('<h1>é</h1>'.repeat(1000)), 'gzip'],
      ['tiny', Buffer.from('x'), 'gzip'],
      ['wide.bin', large, 'gzip'],
      ['é \u{1f600}.txt', Buffer.from('name'), 'identity'],
    ]
    const files = new Map<string, SnapshotFile>()
    for (const [path, content, coding] of contents.toReversed()) {
      files.set(path, await stored(content, coding))
    }
    const found = await unzipped(await zipOf(files))
    expect(found.map(([name]) => name)).toEqual(contents.map(([name]) => name))
    for (const [at, [, content]] of found.entries()) {
      expect(content.equals(contents[at]?.[1] ?? Buffer.alloc(0))).toBe(true)
    }
  })

  test('without files is empty', async () => {
    expect(await unzipped(await zipOf(new Map()))).toEqual([])
  })

  test('is the same whenever it is made, in whatever order', async () => {
    const [a, b] = [await stored(Buffer.from('a'), 'gzip'), await stored(Buffer.from('b'), 'gzip')]
    const at = Date.UTC(2026, 1, 3, 4, 5, 6)
    const zip = await zipOf(
      new Map([
        ['a', a],
        ['b', b],
      ]),
      at,
    )
    expect(
      zip.equals(
        await zipOf(
          new Map([
            ['b', b],
            ['a', a],
          ]),
          at,
        ),
      ),
    ).toBe(true)
    const archive = await fromBufferPromise(zip)
    for await (const entry of archive.eachEntry()) {
      expect(entry.getLastModDate({ timezone: 'UTC' }).getTime()).toBe(at)
    }
  })

  test('of a time that no zip has takes the nearest', async () => {
    const files = new Map([['a', await stored(Buffer.from('a'), 'identity')]])
    for (const at of [-1e15, 0, 8e15])
      expect(await unzipped(await zipOf(files, at))).toHaveLength(1)
  })

  test('has no name that Windows takes for a drive', async () => {
    const file = await stored(Buffer.from('x'), 'identity')
    const zip = await zipOf(
      new Map([
        ['C:/x', file],
        ['c', file],
      ]),
    )
    expect((await unzipped(zip)).map(([name]) => name)).toEqual(['./C:/x', 'c'])
  })

  test('of which bytes are missing breaks off', async () => {
    const file = { ...(await stored(Buffer.from('x'), 'identity')), hash: 'f'.repeat(64) }
    await expect(zipOf(new Map([['a', file]]))).rejects.toThrow(BlobLostError)
  })
})
