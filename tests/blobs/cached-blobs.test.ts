import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { type CachedBlobStore, cachedBlobStore } from '#blobs/cached-blobs.ts'
import { DiskFloor } from '#blobs/disk-floor.ts'
import { type S3FaultServer, startS3FaultServer } from '#tests/support/servers/s3-fault-server.ts'
import { s3LocationAt, testS3Store } from '#tests/support/servers/s3-store.ts'
import { blobStoreContract, contentOf, patterned, sha256 } from '../support/blob-store-contract.ts'

const gibibyte = 1024 ** 3

async function place() {
  const dir = await mkdtemp(join(tmpdir(), 'cache-'))
  const server = await startS3FaultServer()
  const timing = { tryMs: 200, retryMs: 400, pauseMs: 5 }
  const { store: remote } = testS3Store({ dir, timing, location: s3LocationAt(server.endpoint) })
  return { dir, server, remote }
}

blobStoreContract('a cache in front of S3', async () => {
  const { dir, remote, server } = await place()
  const log = { error: () => undefined, info: () => undefined }
  return {
    store: cachedBlobStore({ remote, dir: join(dir, 'cache'), bytesMax: gibibyte, log }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(dir, { recursive: true })
    },
  }
})

describe('copies of remote blobs', () => {
  let dir: string
  let server: S3FaultServer
  let remote: Awaited<ReturnType<typeof place>>['remote']
  let store: CachedBlobStore
  let clock: number
  let lines: string[]
  let free: number

  beforeEach(async () => {
    ;({ dir, remote, server } = await place())
    clock = 0
    lines = []
    free = gibibyte
    store = reopen()
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })

  const reopen = (bytesMax = 2_500) =>
    cachedBlobStore({
      ...{ bytesMax, remote, dir: join(dir, 'cache'), now: () => clock },
      floor: new DiskFloor(dir, { diskSpace: async () => ({ free, total: gibibyte }) }),
      log: { error: (line) => lines.push(line), info: () => undefined },
    })
  const blobOf = (n: number, size = 1000) => patterned(size).fill(n, 0, 10)
  const put = async (n: number, size?: number) => (await store.put(blobOf(n, size))).hash
  const gets = () => server.requests.filter((line) => line.startsWith('GET')).length
  const filesOnDisk = async () =>
    (await readdir(join(dir, 'cache'), { recursive: true })).filter((name) =>
      /^..\/[0-9a-f]{62}$/.test(name),
    ).length
  const away = () => {
    server.always = { kind: 'hang' }
  }

  test('are read once, also by many at a time, and by the next process', async () => {
    const hash = await put(1)
    const opened = await Promise.all(Array.from({ length: 20 }, () => contentOf(store, hash)))
    expect(opened).toEqual(Array.from({ length: 20 }, () => blobOf(1)))
    expect(gets()).toBe(1)
    store = reopen()
    expect(await contentOf(store, hash)).toEqual(blobOf(1))
    expect(gets()).toBe(1)
    expect(store.stats).toMatchObject({ files: 1, bytes: 1000, hits: 1, misses: 0 })
  })

  test('are served while the server is away; what is not here fails within the deadline', async () => {
    const [here, there] = [await put(1), await put(2)]
    await store.open(here)
    away()
    expect(await contentOf(store, here)).toEqual(blobOf(1))
    await expect(store.open(there)).rejects.toThrow(BlobStorageError)
    server.always = null
    expect(await contentOf(store, there)).toEqual(blobOf(2))
  })

  test('stay within the bound: the least recently used go first', async () => {
    const hashes = [await put(1), await put(2), await put(3)]
    const [first = '', second = '', third = ''] = hashes
    await store.open(first)
    await store.open(second)
    await store.open(first)
    await store.open(third)
    expect(store.stats).toMatchObject({ files: 2, bytes: 2000 })
    expect((await store.cached()).sort()).toEqual([first, third].sort())
    expect(await filesOnDisk()).toBe(2)
  })

  test('that somebody reads from the disk stay: what has no room is passed on without a copy', async () => {
    const size = 1_100_000
    store = reopen(2 * size)
    const held = [await store.open(await put(1, size)), await store.open(await put(2, size))]
    clock += 60_000
    expect(await contentOf(store, await put(3, size))).toEqual(blobOf(3, size))
    expect(store.stats).toMatchObject({ files: 2, bytes: 2 * size, isWriting: true })
    expect(await Promise.all(held.map((blob) => blob?.bytes()))).toEqual([
      new Uint8Array(blobOf(1, size)),
      new Uint8Array(blobOf(2, size)),
    ])
  })

  test('of an earlier process with a larger bound go when it opens', async () => {
    store = reopen(10_000)
    for (const n of [1, 2, 3, 4]) await store.open(await put(n))
    store = reopen()
    await store.open(await put(1))
    expect(store.stats.bytes).toBeLessThanOrEqual(2500)
    expect(await filesOnDisk()).toBe(2)
  })

  test('that are damaged on the disk are read again', async () => {
    const hash = await put(1)
    await store.open(hash)
    await writeFile(join(dir, 'cache', hash.slice(0, 2), hash.slice(2)), 'damaged')
    expect(await contentOf(store, hash)).toEqual(blobOf(1))
    expect(await contentOf(store, hash)).toEqual(blobOf(1))
    expect(gets()).toBe(2)
  })

  test('of wrong bytes do not stay', async () => {
    const hash = await put(1)
    server.faults.push({ kind: 'wrong' })
    expect(await contentOf(store, hash)).toEqual(blobOf(1))
    expect(await filesOnDisk()).toBe(1)
    expect(store.stats).toMatchObject({ files: 1, bytes: 1000 })
  })

  test('of a body that is cut are not kept', async () => {
    const hash = await put(1)
    server.always = { kind: 'cut' }
    await expect(store.open(hash)).rejects.toThrow(BlobStorageError)
    expect(store.stats).toMatchObject({ files: 0, bytes: 0, isWriting: true })
    expect(await filesOnDisk()).toBe(0)
  })

  test('are not written to a full disk, which is told once and tried again after a minute', async () => {
    const hash = await put(1)
    free = 0
    expect(await contentOf(store, hash)).toEqual(blobOf(1))
    expect(await contentOf(store, hash)).toEqual(blobOf(1))
    expect(lines).toEqual(['blob cache paused'])
    expect(store.stats).toMatchObject({ files: 0, bytes: 0, isWriting: false })
    free = gibibyte
    clock += 61_000
    await store.open(hash)
    expect(store.stats).toMatchObject({ files: 1, bytes: 1000, isWriting: true })
  })

  test('are forgotten one by one and all together, also while they are made', async () => {
    const [first, second] = [await put(1), await put(2)]
    await store.open(first)
    const opening = store.open(second)
    await store.forget(first)
    await store.forget(second)
    expect(sha256((await (await opening)?.bytes()) ?? blobOf(1))).toBe(second)
    expect(await filesOnDisk()).toBe(0)
    expect(store.stats).toMatchObject({ files: 0, bytes: 0 })
    await store.open(first)
    await store.forgetAll()
    expect(await filesOnDisk()).toBe(0)
    expect(await store.has(first)).toBe(true)
  })

  test('go with what they are copies of', async () => {
    const hash = await put(1)
    await store.open(hash)
    await store.delete(hash)
    expect(await store.open(hash)).toBeNull()
    expect(await filesOnDisk()).toBe(0)
    expect(sha256(blobOf(1))).toBe(hash)
  })
})
