import { describe, expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { DiskFloor, DiskFloorError, type DiskSpace } from './disk-floor.ts'

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3

const floorOf = (space: DiskSpace) => new DiskFloor('/', { diskSpace: async () => space })

describe('the disk', () => {
  test.each([
    ['1 GiB of 10', gibibyte, 10 * gibibyte, true],
    ['a byte less', gibibyte - 1, 10 * gibibyte, false],
    ['a tenth of 100 GiB', 10 * gibibyte, 100 * gibibyte, true],
    ['a byte less than a tenth', 10 * gibibyte - 1, 100 * gibibyte, false],
  ])('with %s free', async (_, free, total, isEnough) => {
    const asserting = floorOf({ free, total }).assertAbove()
    if (isEnough) await asserting
    else await expect(asserting).rejects.toBeInstanceOf(DiskFloorError)
  })

  test('that this test runs on has free space', async () => {
    await new DiskFloor(tmpdir()).assertAbove()
  })

  test('is in the log once when it fills up, and once when it has room again', async () => {
    const lines: string[] = []
    const frees = [2, 0.5, 0.4, 2, 3].map((gibibytes) => gibibytes * gibibyte)
    const floor = new DiskFloor('/', {
      log: { error: (line) => lines.push(line), info: (line) => lines.push(line) },
      diskSpace: async () => ({ free: frees.shift() ?? 0, total: 10 * gibibyte }),
    })
    for (let n = 0; n < 5; n++) await floor.assertAbove().catch(() => undefined)
    expect(lines).toEqual(['disk nearly full, writes paused', 'disk space available again'])
  })

  test('that fills up meanwhile ends a stream', async () => {
    const space = { free: 2 * gibibyte, total: 10 * gibibyte }
    const floor = floorOf(space)
    let takenBytes = 0
    const taking = async () => {
      for await (const chunk of floor.guard(mebibytes(100))) {
        takenBytes += chunk.byteLength
        if (takenBytes === 10 * mebibyte) space.free = 0
      }
    }
    await expect(taking()).rejects.toBeInstanceOf(DiskFloorError)
    expect(takenBytes).toBeLessThan(20 * mebibyte)
  })
})

async function* mebibytes(count: number) {
  for (let n = 0; n < count; n++) yield new Uint8Array(mebibyte)
}
