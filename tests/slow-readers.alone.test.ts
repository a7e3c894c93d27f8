import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { readSlowly, storeLargeFiles } from '#tests/support/visitors/slow-readers.ts'

// A twentieth of `bench/soak/slow-readers.ts`: many visitors take a large file slowly, and others visit.

const readers = 50
const mebibyte = 1024 * 1024
/** Some 30 MB are what the first of them take, for code and heap; if each of them held whole chunks it were 150 MB. */
const growthBytesMax = 64 * mebibyte

let dir: string
let host: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-readers-'))
  host = await storeLargeFiles(dir)
}, 120_000)
afterAll(() => rm(dir, { recursive: true }))

test.each(['stored.bin', 'decoded.bin'] as const)(
  '%s: none of them is cut off, and they take little memory',
  async (path) => {
    await using service = await startServiceProcess(['serve', '--port', '0', '--data', dir], {
      LOG_LEVEL: 'error',
      FIREHOSE_URL: 'http://127.0.0.1:9',
    })
    const end = await readSlowly(service, { host, path, readers, seconds: 3 })
    expect(end.reading).toBe(readers)
    expect(end.growthBytes).toBeLessThan(growthBytesMax)
  },
  120_000,
)
