import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DiskFloor } from '#blobs/disk-floor.ts'
import { Spool, SpoolFullError } from './spool.ts'
import type { Claim } from './spool-shares.ts'

let dir: string
let spool: Spool
beforeAll(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'spool-')), 'spool')
  spool = new Spool(dir)
})
afterAll(() => rm(join(dir, '..'), { recursive: true }))

async function* bytes(...lengths: number[]) {
  for (const length of lengths) yield Buffer.alloc(length, 'x')
}
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777
const unlimited = { bytesMax: Number.POSITIVE_INFINITY }

test('is for nobody else', async () => {
  const jobId = crypto.randomUUID()
  await using folder = await spool.open(jobId)
  const { pack } = await folder.write(bytes(3), unlimited)
  expect(await modeOf(join(dir, jobId, pack))).toBe(0o600)
  expect(await modeOf(join(dir, jobId))).toBe(0o700)
  expect(await modeOf(dir)).toBe(0o700)
})

test('sweeping keeps the folders of these jobs only', async () => {
  const [kept, gone] = [crypto.randomUUID(), crypto.randomUUID()]
  for (const jobId of [kept, gone]) await spool.open(jobId)
  await spool.sweep(new Set([kept]))
  expect(await readdir(dir)).toEqual([kept])
})

test('sweeping makes a spool that is not there, and survives what is not ours', async () => {
  const other = new Spool(join(dir, '..', 'other'))
  await other.sweep(new Set())
  await Bun.write(join(dir, '..', 'other', 'lost+found'), '')
  await other.sweep(new Set())
  expect(await readdir(join(dir, '..', 'other'))).toEqual(['lost+found'])
})

test('removing a folder twice is harmless', async () => {
  const jobId = crypto.randomUUID()
  await spool.open(jobId)
  await spool.remove(jobId)
  await spool.remove(jobId)
  expect(await readdir(dir)).not.toContain(jobId)
})

test('only a job id names a folder', async () => {
  for (const name of ['', '..', '../x', 'a/b', '.']) {
    await expect(spool.open(name)).rejects.toBeInstanceOf(TypeError)
    await expect(spool.remove(name)).rejects.toBeInstanceOf(TypeError)
  }
})

describe('space for uploads', () => {
  const gibibyte = 1024 ** 3
  const mebibyte = 1024 ** 2
  const id = () => crypto.randomUUID()
  const spoolOf = (bytesMax: number) => new Spool(dir, { bytesMax })
  const small = (owner = id()): Claim => ({
    owner,
    isSmall: true,
    isNewcomer: false,
    server: id(),
    arrival: null,
  })
  const reasonOf = (reserving: Promise<unknown>) =>
    reserving.then(
      () => 'space',
      (error: unknown) => (error instanceof SpoolFullError ? error.reason : error),
    )

  test('is for three times the bytes that are sent, up to the limit', async () => {
    const bounded = spoolOf(30)
    expect(await reasonOf(bounded.reserve(id(), 10, small()))).toBe('space')
    expect(await reasonOf(bounded.reserve(id(), 1, small()))).toBe('busy')
    expect(await reasonOf(spoolOf(30).reserve(id(), 11, small()))).toBe('busy')
  })

  test('comes back with the end of a job', async () => {
    const bounded = spoolOf(30)
    const jobId = id()
    await bounded.reserve(jobId, 10, small())
    await bounded.remove(jobId)
    expect(await reasonOf(bounded.reserve(id(), 10, small()))).toBe('space')
  })

  const leftIn = async (bounded: Spool, bytes: number) => {
    expect(await reasonOf(bounded.reserve(id(), bytes, small()))).toBe('space')
    expect(await reasonOf(bounded.reserve(id(), 1, small()))).toBe('busy')
  }

  test.each([
    [0, 16 * mebibyte],
    [16 * mebibyte, 16 * mebibyte],
    [16 * mebibyte + 1, 32 * mebibyte + 1],
    [34 * mebibyte, 50 * mebibyte],
  ])('when %d bytes of a large upload have arrived, is for %d', async (bytes, taken) => {
    const bounded = spoolOf(3 * 64 * mebibyte)
    const large = { ...small(), isSmall: false }
    const { arrived } = await bounded.admit(id(), gibibyte, large)
    for (let sent = 0; sent < bytes; sent += 16 * mebibyte) await arrived(Math.min(sent + 1, bytes))
    await arrived(bytes)
    await leftIn(bounded, 64 * mebibyte - taken)
  })

  test('is for all of a small upload before any of it arrives', async () => {
    const bounded = spoolOf(3 * 64 * mebibyte)
    const { arrived } = await bounded.admit(id(), 10 * mebibyte, small())
    await leftIn(bounded, 54 * mebibyte)
    await arrived(10 * mebibyte)
  })

  test('is for no more than a slow upload sends in two minutes', async () => {
    const bounded = spoolOf(3 * 64 * mebibyte)
    let gaveWay = false
    const giveWay = () => {
      gaveWay = true
    }
    const arrival = { bytes: 0, bytesPerSecond: null as number | null, giveWay }
    const { arrived } = await bounded.admit(id(), 10 * mebibyte, { ...small(), arrival })
    arrival.bytes = mebibyte
    arrival.bytesPerSecond = mebibyte / 60
    await arrived(arrival.bytes)
    const others = id()
    expect(await reasonOf(bounded.reserve(others, 61 * mebibyte, small()))).toBe('space')
    // All that it was left with has arrived.
    arrival.bytes = 3 * mebibyte
    await arrived(arrival.bytes)
    arrival.bytes += 1
    await expect(arrived(arrival.bytes)).rejects.toBeInstanceOf(SpoolFullError)
    await bounded.remove(others)
    await arrived(arrival.bytes)
    expect(await reasonOf(bounded.reserve(id(), 59 * mebibyte - 1, small()))).toBe('space')
    expect(gaveWay).toBe(false)
    expect(await reasonOf(bounded.reserve(id(), 1, small()))).toBe('space')
    expect(gaveWay).toBe(true)
  })

  test('is at most what an upload can become, and more for an archive that is unpacked', async () => {
    const bounded = spoolOf(30)
    const { arrived, atLeast } = await bounded.admit(id(), 2, small())
    await arrived(100)
    expect(await reasonOf(bounded.reserve(id(), 9, small()))).toBe('busy')
    await atLeast(9, small())
    await arrived(100)
    expect(await reasonOf(bounded.reserve(id(), 1, small()))).toBe('space')
    expect(await reasonOf(bounded.reserve(id(), 1, small()))).toBe('busy')
  })

  test('of an archive that is unpacked is not for others while the disk is examined', async () => {
    const bounded = spoolOf(3 * 64 * mebibyte)
    const arrival = { bytes: mebibyte, bytesPerSecond: null, giveWay: () => {} }
    const { atLeast } = await bounded.admit(id(), mebibyte, { ...small(), arrival })
    const unpacking = atLeast(48 * mebibyte, small())
    expect(await reasonOf(bounded.reserve(id(), 20 * mebibyte, small()))).toBe('busy')
    await unpacking
    await leftIn(bounded, 16 * mebibyte)
  })

  test.each([
    [16, false, 'space'],
    [17, false, 'busy'],
    [16, true, 'space'],
    [17, true, 'busy'],
  ])(
    'of a small archive that becomes %d MiB, from a newcomer: %p: %s',
    async (size, isNewcomer, outcome) => {
      const bounded = spoolOf(3 * 64 * mebibyte)
      const large = { ...small(), isSmall: false, isNewcomer }
      // Of the 56 MiB for large uploads, and of the 32 MiB for those of newcomers, this leaves 16.
      await bounded.reserve(id(), isNewcomer ? 16 * mebibyte : 40 * mebibyte, large)
      const { atLeast } = await bounded.admit(id(), mebibyte, small())
      const owner = { ...small(), isNewcomer }
      expect(await reasonOf(atLeast(size * mebibyte, owner))).toBe(outcome)
    },
  )

  test('of an upload that was admitted as a large one stays that of a large one', async () => {
    const bounded = spoolOf(3 * 64 * mebibyte)
    const large = () => ({ ...small(), isSmall: false })
    await bounded.reserve(id(), 55 * mebibyte, large())
    const { atLeast } = await bounded.admit(id(), mebibyte, large())
    expect(await reasonOf(atLeast(2 * mebibyte, large()))).toBe('busy')
  })

  test('is taken by jobs that were there before', async () => {
    const bounded = spoolOf(30)
    const jobId = id()
    await using folder = await bounded.open(jobId)
    // Nine of them are wanted, and one was left out when it was there already.
    await folder.write(bytes(10), unlimited)
    await bounded.hold(jobId, 9, small())
    expect(await reasonOf(bounded.reserve(id(), 1, small()))).toBe('busy')
    await bounded.hold(jobId, 8, small())
    expect(await reasonOf(bounded.reserve(id(), 1, small()))).toBe('space')
    expect(await reasonOf(bounded.reserve(id(), 1, small()))).toBe('busy')
  })

  test('is refused to what has arrived where its server has its share', async () => {
    const bounded = spoolOf(120)
    // Half of the space.
    await bounded.hold(id(), 30, { owner: id(), isNewcomer: false, server: 'c' })
    const receive = async (owner: string, server: string) => {
      const jobId = id()
      await using folder = await bounded.open(jobId)
      await folder.write(bytes(5), unlimited)
      return await reasonOf(bounded.receive(jobId, 5, { owner, isNewcomer: false, server }))
    }
    expect([await receive('x', 'a'), await receive('y', 'a')]).toEqual(['space', 'space'])
    expect([await receive('x', 'a'), await receive('x', 'b')]).toEqual(['busy', 'space'])
  })

  test('that the disk refused is not taken', async () => {
    let free = 0
    const bounded = new Spool(dir, {
      bytesMax: 30,
      floor: new DiskFloor(dir, { diskSpace: async () => ({ free, total: 10 * gibibyte }) }),
    })
    expect(await reasonOf(bounded.reserve(id(), 10, small()))).toBe('disk')
    free = 5 * gibibyte
    expect(await reasonOf(bounded.reserve(id(), 10, small()))).toBe('space')
  })
})
