import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, open, readdir, rm, stat, symlink, truncate, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { type DiskBlobStore, diskBlobStore } from '#blobs/disk.ts'
import { DiskFloor } from '#blobs/disk-floor.ts'
import { provenMsMax } from '#blobs/verified-files.ts'
import {
  blobStoreContract,
  contentOf,
  listOf,
  patterned,
  sha256,
} from '../support/blob-store-contract.ts'
import { available } from '../support/require.ts'
import { probeTinyDisk, tinyDisk } from '../support/tiny-disk.ts'

const small = patterned(1000)
const large = patterned(1024 * 1024 + 1000)

blobStoreContract('the disk', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'blobs-'))
  return {
    store: diskBlobStore({ dir }),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
})

describe('blobs on disk', () => {
  let dir: string
  let store: DiskBlobStore
  let damaged: string[]
  const reopen = () => diskBlobStore({ dir, onCorrupt: (hash) => damaged.push(hash) })
  const pathOf = (hash: string) => join(dir, hash.slice(0, 2), hash.slice(2))
  const temps = () => readdir(join(dir, 'tmp'))

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'blobs-'))
    damaged = []
    store = reopen()
  })
  afterEach(() => rm(dir, { recursive: true }))

  test('are files that only the service can read, and nothing else stays', async () => {
    const { hash } = await store.put(small)
    expect((await stat(pathOf(hash))).mode & 0o777).toBe(0o600)
    expect(await temps()).toEqual([])
  })

  test('other files in the folder are not listed', async () => {
    const { hash } = await store.put(small)
    await Bun.write(join(dir, 'ab', 'notes.txt'), 'x')
    await Bun.write(join(dir, 'lost+found', '1'), 'x')
    expect(await listOf(store)).toEqual([hash])
  })

  test.each([
    ['bytes', () => small],
    ['a stream', () => new Blob([Buffer.from(large)]).stream()],
  ])('stay out while the disk is nearly full: %s', async (_, source) => {
    const space = { free: 0, total: 1024 ** 4 }
    const floor = new DiskFloor(dir, { diskSpace: async () => space })
    const guarded = diskBlobStore({ dir, floor })
    await expect(guarded.put(source())).rejects.toMatchObject({
      name: 'BlobStorageError',
      reason: 'full',
    })
    expect(await temps()).toEqual([])
    space.free = space.total
    const { hash } = await guarded.put(source())
    expect(await guarded.has(hash)).toBe(true)
  })

  test('survive the process', async () => {
    const { hash } = await store.put(large)
    expect(await contentOf(reopen(), hash)).toEqual(large)
  })

  for (const [size, bytes] of [
    ['small', small],
    ['large', large],
  ] as const) {
    test(`a flipped byte of a ${size} one is found, and never served`, async () => {
      const { hash } = await store.put(bytes)
      await flipByte(pathOf(hash), 500)
      expect(await reopen().open(hash)).toBeNull()
      expect(damaged).toEqual([hash])
      expect(await store.has(hash)).toBe(false)
    })

    test(`a ${size} one that was cut short is found, and never served`, async () => {
      const { hash } = await store.put(bytes)
      await truncate(pathOf(hash), bytes.byteLength - 1)
      expect(await store.open(hash)).toBeNull()
      expect(damaged).toEqual([hash])
    })

    test(`putting a damaged ${size} one again mends it`, async () => {
      const { hash } = await store.put(bytes)
      await flipByte(pathOf(hash), 500)
      await store.put(bytes)
      expect(await contentOf(store, hash)).toEqual(bytes)
      expect(damaged).toEqual([])
    })
  }

  test('a large one that was proven before is looked at again when its file changed', async () => {
    const { hash } = await store.put(large)
    expect(await contentOf(store, hash)).toEqual(large)
    await flipByte(pathOf(hash), 500)
    expect(await store.open(hash)).toBeNull()
  })

  test('a large one whose bits rot, its file’s times unchanged, is found after an hour', async () => {
    let now = 0
    const rotting = diskBlobStore({ dir, now: () => now, onCorrupt: (hash) => damaged.push(hash) })
    const { hash } = await rotting.put(large)
    await utimes(pathOf(hash), 1, 1)
    expect(await contentOf(rotting, hash)).toEqual(large)
    await rot(pathOf(hash))
    now = provenMsMax - 1
    expect(await rotting.open(hash)).not.toBeNull()
    now = provenMsMax
    expect(await rotting.open(hash)).toBeNull()
    expect(damaged).toEqual([hash])
  })

  test('what is verified is read, whatever was proven before', async () => {
    const { hash } = await store.put(large)
    await utimes(pathOf(hash), 1, 1)
    expect(await contentOf(store, hash)).toEqual(large)
    expect(await store.verify(hash)).toEqual({ isIntact: true, bytes: large.length })
    await rot(pathOf(hash))
    expect(await store.verify(hash)).toEqual({ isIntact: false, bytes: large.length })
    expect(damaged).toEqual([hash])
    expect(await store.verify(hash)).toEqual({ isIntact: false, bytes: 0 })
    expect(await store.has(hash)).toBe(false)
  })

  // Linux: reading the memory at address 0 is the one EIO that needs no broken disk.
  test.if(process.platform === 'linux')('what the disk cannot read is damaged, too', async () => {
    const { hash } = await store.put(large)
    await rm(pathOf(hash))
    await symlink('/proc/self/mem', pathOf(hash))
    expect(await store.verify(hash)).toMatchObject({ isIntact: false })
    expect(damaged).toEqual([hash])
    expect(await store.has(hash)).toBe(false)
    await store.put(large)
    expect(await contentOf(store, hash)).toEqual(large)
  })

  test('the verifier waits after each piece, and nobody else does', async () => {
    const { hash } = await store.put(large)
    await utimes(pathOf(hash), 1, 1)
    const pieces: number[] = []
    const { promise: go, resolve } = Promise.withResolvers<void>()
    const verified = store.verify(hash, (bytes) => {
      pieces.push(bytes)
      return go
    })
    expect(await contentOf(store, hash)).toEqual(large)
    expect(pieces.length).toBeLessThanOrEqual(1)
    resolve()
    expect(await verified).toEqual({ isIntact: true, bytes: large.length })
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.reduce((sum, bytes) => sum + bytes, 0)).toBe(large.length)
  })

  test('a damaged one is reported once, however many ask at once', async () => {
    const { hash } = await store.put(large)
    await flipByte(pathOf(hash), 500)
    const opened = await Promise.all(Array.from({ length: 10 }, () => store.open(hash)))
    expect(opened.every((blob) => blob === null)).toBe(true)
    expect(damaged).toEqual([hash])
  })

  test('a put that fails leaves no temporary file', async () => {
    async function* source() {
      yield small
      throw new Error('no')
    }
    await expect(store.put(source())).rejects.toThrow('no')
    expect(await temps()).toEqual([])
  })

  test('a process killed while it puts leaves nothing to be seen', async () => {
    const child = await putForever(dir)
    child.kill('SIGKILL')
    await child.exited
    expect(await listOf(store)).toEqual([])
    expect(await temps()).toHaveLength(1)
  })

  test('what it left is swept after an hour without a write, not before', async () => {
    const child = await putForever(dir)
    child.kill('SIGKILL')
    await child.exited
    const { hash } = await store.put(small)
    const now = Date.now()
    expect(await store.sweep(now)).toBe(0)
    const [left = ''] = await temps()
    const overAnHourAgo = new Date(now - 60 * 60 * 1000 - 1)
    await utimes(join(dir, 'tmp', left), overAnHourAgo, overAnHourAgo)
    expect(await store.sweep(now)).toBe(1)
    expect(await temps()).toEqual([])
    expect(await listOf(store)).toEqual([hash])
  })

  test('sweeping a folder that was never used does nothing', async () => {
    expect(await store.sweep(Date.now())).toBe(0)
  })

  test('a storage that fails is a typed error', async () => {
    await Bun.write(join(dir, 'file'), 'not a folder')
    const broken = diskBlobStore({ dir: join(dir, 'file') })
    await expect(broken.put(small)).rejects.toMatchObject({
      name: 'BlobStorageError',
      reason: 'failed',
    })
    await expect(broken.open(sha256(small))).rejects.toThrow(BlobStorageError)
  })
})

if (await available('blobs on a full disk', probeTinyDisk)) {
  test('a full disk is a typed error, leaves nothing, and what is there can be read', async () => {
    await using disk = await tinyDisk()
    const store = diskBlobStore({ dir: disk.path })
    const { hash } = await store.put(small)
    await expect(store.put(patterned(4 * 1024 * 1024))).rejects.toMatchObject({ reason: 'full' })
    expect(await listOf(store)).toEqual([hash])
    expect(await readdir(join(disk.path, 'tmp'))).toEqual([])
    expect(await contentOf(store, hash)).toEqual(small)
    await store.put(patterned(100_000))
  })
}

test('256 MB go in and out as a stream, in a fraction of that memory', async () => {
  // In a process of its own: what other tests leave on the heap is not the store's.
  const dir = await mkdtemp(join(tmpdir(), 'blobs-'))
  const script = `
    import { diskBlobStore } from '#blobs/disk.ts'
    const store = diskBlobStore({ dir: ${JSON.stringify(join(dir, 'large'))} })
    const atStart = process.memoryUsage().rss
    let peak = atStart
    const sample = () => { peak = Math.max(peak, process.memoryUsage().rss) }
    const chunk = crypto.getRandomValues(new Uint8Array(65536))
    async function* source() {
      for (let n = 0; n < 4096; n++) { sample(); yield chunk }
    }
    const { hash, bytes } = await store.put(source())
    const hasher = new Bun.CryptoHasher('sha256')
    for await (const part of (await store.open(hash)).stream()) { sample(); hasher.update(part) }
    console.log(JSON.stringify({ bytes, isSame: hasher.digest('hex') === hash, grown: peak - atStart }))
  `
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const answer = JSON.parse(await new Response(child.stdout).text())
  expect(answer).toMatchObject({ bytes: 256 * 1024 * 1024, isSame: true })
  expect(answer.grown).toBeLessThan(96 * 1024 * 1024)
  await rm(dir, { recursive: true })
}, 30_000)

/** As the disk does it to a file with these times: nobody has written to it. */
async function rot(path: string): Promise<void> {
  await flipByte(path, 500)
  await utimes(path, 1, 1)
}

async function flipByte(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+')
  const byte = new Uint8Array(1)
  await file.read(byte, 0, 1, at)
  await file.write(
    byte.map((value) => value ^ 1),
    0,
    1,
    at,
  )
  await file.close()
}

/** A process in the midst of a put: it has written a megabyte, and the source says nothing more. */
async function putForever(dir: string) {
  const script = `
    import { diskBlobStore } from '#blobs/disk.ts'
    async function* source() {
      for (let n = 0; n < 16; n++) yield new Uint8Array(65536)
      process.stdout.write('written')
      await new Promise(() => setInterval(() => {}, 1000))
    }
    await diskBlobStore({ dir: ${JSON.stringify(dir)} }).put(source())
  `
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  await child.stdout.getReader().read()
  return child
}
