import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DecodedLengthError } from '#blobs/decode.ts'
import { DiskFloorError } from '#blobs/disk-floor.ts'
import { DecodedFiles, type DecodedSource, type OpenedFile } from '#edge/files/decoded-files.ts'
import { eventually } from '../support/eventually.ts'
import { available } from '../support/require.ts'
import { probeTinyDisk, tinyDisk } from '../support/tiny-disk.ts'

const content = 'all the same '.repeat(100_000)
const bytes = content.length
const gzipped = new Blob([gzipSync(content)])
let parent: string
let dir: string
let stored: Map<string, Blob>
let reads: string[]
/** Those who open a blob wait for it. */
let gate: Promise<void> | undefined
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sitehost-decoded-'))
  dir = join(parent, 'decoded')
  stored = new Map(Array.from({ length: 110 }, (_, i) => [`${i}`, gzipped]))
  reads = []
  gate = undefined
})
afterEach(() => rm(parent, { recursive: true }))

type Options = Partial<ConstructorParameters<typeof DecodedFiles>[0]>

function filesOf(options: Options = {}): DecodedFiles {
  const openStored = async (hash: string): Promise<Blob | null> => {
    reads.push(hash)
    await gate
    return stored.get(hash) ?? null
  }
  return new DecodedFiles({ blobs: { open: openStored }, dir, bytesMax: 3 * bytes, ...options })
}
const textOf = async (opened: OpenedFile) => (opened instanceof Blob ? await opened.text() : opened)
/** One name of each file: readers have their own. */
async function namesOnDisk(): Promise<string[]> {
  const names = new Map<number, string>()
  for (const name of await readdir(dir)) names.set((await stat(join(dir, name))).ino, name)
  return [...names.values()]
}
const [alice, bob, carol] = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
const open = (files: DecodedFiles, source: DecodedSource, client = alice) =>
  files.open(source, { client, bytes: source.bytes })

describe('what large gzip decodes to', () => {
  test('is decoded once, however many ask, and for whoever asks later', async () => {
    const files = filesOf()
    const all = await Promise.all(
      Array.from({ length: 50 }, () => open(files, { hash: '0', bytes })),
    )
    expect(new Set(await Promise.all(all.map(textOf)))).toEqual(new Set([content]))
    expect(await textOf(await open(files, { hash: '0', bytes }))).toBe(content)
    expect(reads).toEqual(['0'])
  })

  test('is removed with its bytes, also when it is being decoded', async () => {
    const files = filesOf()
    await open(files, { hash: '0', bytes })
    await open(files, { hash: '1', bytes })
    let openGate: () => void = () => undefined
    gate = new Promise((resolve) => (openGate = resolve))
    const opening = open(files, { hash: '2', bytes })
    await eventually(async () => expect(reads).toContain('2'))
    const forgetting = [files.forget('0'), files.forget('2'), files.forget('unknown')]
    openGate()
    await opening
    await Promise.all(forgetting)
    expect(await namesOnDisk()).toHaveLength(1)
    expect(await textOf(await open(files, { hash: '0', bytes }))).toBe(content)
    await files.forgetAll()
    expect(await namesOnDisk()).toEqual([])
  })

  test('lies in a folder of its own, for nobody else, without what an earlier process left', async () => {
    await mkdir(dir)
    await Bun.write(join(dir, 'left'), 'x')
    await open(filesOf(), { hash: '0', bytes })
    const [name = '', ...others] = await namesOnDisk()
    expect([name === 'left', others]).toEqual([false, []])
    expect((await stat(join(dir, name))).mode & 0o077).toBe(0)
    expect((await stat(dir)).mode & 0o077).toBe(0)
  })

  test('is nothing when the stored bytes are not here, until they are', async () => {
    const files = filesOf()
    const blob = stored.get('0') ?? new Blob()
    stored.delete('0')
    expect(await open(files, { hash: '0', bytes })).toBeNull()
    stored.set('0', blob)
    expect(await textOf(await open(files, { hash: '0', bytes }))).toBe(content)
  })

  test.each([
    ['one byte more than was said', bytes - 1, DecodedLengthError],
    ['one byte less', bytes + 1, DecodedLengthError],
  ])('is refused when it is %s, and leaves nothing', async (_, said, error) => {
    const files = filesOf({ bytesMax: bytes + 1 })
    await expect(open(files, { hash: '0', bytes: said })).rejects.toThrow(error)
    expect(await namesOnDisk()).toEqual([])
    expect(await textOf(await open(files, { hash: '0', bytes }))).toBe(content)
  })

  test('is refused when what is stored is damaged, and that holds up nothing else', async () => {
    const files = filesOf()
    stored.set('0', new Blob(['no gzip']))
    await expect(open(files, { hash: '0', bytes })).rejects.toThrow()
    expect(await textOf(await open(files, { hash: '1', bytes }))).toBe(content)
    expect(await namesOnDisk()).toHaveLength(1)
  })
})

describe('the room on disk', () => {
  const openAll = async (files: DecodedFiles, hashes: readonly string[]) => {
    for (const hash of hashes) await open(files, { hash, bytes })
  }

  test('is for those used last', async () => {
    const files = filesOf({ bytesMax: 2 * bytes })
    await openAll(files, ['0', '1', '0', '2', '0', '1'])
    expect(reads).toEqual(['0', '1', '2', '1'])
    expect(await namesOnDisk()).toHaveLength(2)
  })

  test.each([
    ['fit', 2 * bytes, 2],
    ['are a byte too many', 2 * bytes - 1, 1],
    ['do not fit even alone', bytes - 1, 1],
  ])('of two that %s', async (_, bytesMax, kept) => {
    await openAll(filesOf({ bytesMax }), ['0', '1'])
    expect(await namesOnDisk()).toHaveLength(kept)
  })
})

// Of more than what the sockets between take (some 6 MB), so that who stops reading is still reading.
const long = { hash: 'long', bytes: 24 * 1024 * 1024 }
const small = { hash: '0', bytes }

/** Bun sends this file to a reader who takes the beginning and no more. */
async function startReading(opened: OpenedFile) {
  if (!(opened instanceof Blob)) throw new Error(`opened: ${opened}`)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(opened.slice(0, long.bytes)),
  })
  const reader: Socket = connect(server.port ?? 0, '127.0.0.1')
  reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  let received = 0
  reader.on('data', (chunk: Uint8Array) => {
    received += chunk.length
  })
  await once(reader, 'data')
  reader.pause()
  return { reader, received: () => received, [Symbol.asyncDispose]: () => server.stop(true) }
}

describe.if(process.platform === 'linux')('a file that somebody reads', () => {
  beforeEach(() => {
    stored.set(long.hash, new Blob([gzipSync(new Uint8Array(long.bytes))]))
  })

  test('stays, and there is no room for others until they have read', async () => {
    const files = filesOf({ bytesMax: long.bytes })
    await using reading = await startReading(await open(files, long))
    expect(await open(files, small, bob)).toBe('full')
    expect(await open(files, long)).toBeInstanceOf(Blob)
    expect(await namesOnDisk()).toHaveLength(1)
    reading.reader.destroy()
    await eventually(async () => expect(await textOf(await open(files, small, bob))).toBe(content))
    expect(await namesOnDisk()).toHaveLength(1)
  })

  test.each<[string, number, boolean]>([
    ['stays for somebody who reads a part that takes no longer', 10, true],
    ['goes when the part takes longer, too', 11, false],
  ])('that others read too slowly %s', async (_, partBytes, stays) => {
    const slowestMs = (asked: number) => (asked <= 10 ? Number.POSITIVE_INFINITY : 0)
    const files = filesOf({ bytesMax: long.bytes, slowestMs })
    await using part = await startReading(await files.open(long, { client: bob, bytes: partBytes }))
    await using whole = await startReading(await open(files, long))
    expect((await open(files, small, carol)) === 'full').toBe(stays)
    expect(part.received() + whole.received()).toBeLessThan(2 * long.bytes)
  })

  test('by somebody who comes again and again is no more than one, and a quarter of all', async () => {
    const next = { ...long, hash: 'next' }
    stored.set(next.hash, stored.get(long.hash) ?? new Blob())
    const files = filesOf({ bytesMax: 2 * long.bytes * 4 - 1 })
    await using reading = await startReading(await open(files, long))
    await using again = await startReading(await open(files, long))
    expect(await open(files, next)).toBe('full')
    expect(await open(files, small)).toBeInstanceOf(Blob)
    expect(await open(files, next, bob)).toBeInstanceOf(Blob)
    expect(await open(files, next)).toBe('full')
    reading.reader.destroy()
    again.reader.destroy()
    await eventually(async () => expect(await open(files, next)).toBeInstanceOf(Blob))
  })

  test('goes for others when they read too slowly, and takes no room then', async () => {
    const files = filesOf({ bytesMax: long.bytes, slowestMs: () => 0 })
    await using reading = await startReading(await open(files, long))
    expect(await textOf(await open(files, small, bob))).toBe(content)
    expect(await namesOnDisk()).toHaveLength(1)
    reading.reader.resume()
    await reading[Symbol.asyncDispose]()
    expect(reading.received()).toBeLessThan(long.bytes)
  })
})

test('nothing is decoded to a disk of which a part has to stay free', async () => {
  const space = { free: 1, total: 100 }
  let isBelow = true
  const assertAbove = async (): Promise<void> => {
    if (isBelow) throw new DiskFloorError(space)
  }
  const files = filesOf({ floor: { assertAbove } })
  expect(await open(files, small)).toBe('full')
  expect(await namesOnDisk()).toEqual([])
  isBelow = false
  expect(await textOf(await open(files, small))).toBe(content)
})

if (await available('decoded files on a full disk', probeTinyDisk)) {
  test('what a full disk has no room for leaves nothing, and what is there can be read', async () => {
    await using disk = await tinyDisk()
    dir = join(disk.path, 'decoded')
    const files = filesOf()
    expect(await textOf(await open(files, small))).toBe(content)
    expect(await open(files, { hash: '1', bytes })).toBe('full')
    expect(await namesOnDisk()).toHaveLength(1)
    expect(await textOf(await open(files, small))).toBe(content)
  })
}

describe('decoders', () => {
  test('are two at once, a hundred wait, and who comes then is told at once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const files = filesOf({ bytesMax: 200 * bytes })
    const opened = Array.from({ length: 102 }, (_, i) =>
      open(files, { hash: `${i}`, bytes }, `client ${i}`),
    )
    expect(await open(files, { hash: '102', bytes })).toBe('busy')
    expect(reads).toEqual(['0', '1'])
    resolve()
    expect(await Promise.all(opened)).not.toContain('busy')
    expect(await open(files, { hash: '102', bytes })).not.toBe('busy')
  }, 20_000)

  test('are one at a time for one client, which waits for eight more', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const files = filesOf({ bytesMax: 200 * bytes })
    const opened = Array.from({ length: 110 }, (_, i) => open(files, { hash: `${i}`, bytes }))
    expect(await Promise.all(opened.slice(9))).toEqual(new Array(101).fill('busy'))
    expect(reads).toEqual(['0'])
    // A file that the first client waits for, too.
    const another = open(files, { hash: '8', bytes }, bob)
    await eventually(async () => expect(reads).toEqual(['0', '8']))
    resolve()
    expect(await textOf(await another)).toBe(content)
    expect(await Promise.all(opened.slice(0, 9))).not.toContain('busy')
    expect(reads).toHaveLength(9)
  }, 20_000)

  test('that take too long go on for those who come again', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const files = filesOf({ waitMsMax: 1 })
    expect(await open(files, { hash: '0', bytes })).toBe('busy')
    resolve()
    let again: OpenedFile = 'busy'
    while (again === 'busy') again = await open(files, { hash: '0', bytes })
    expect(await textOf(again)).toBe(content)
    expect(reads).toEqual(['0'])
  })
})
