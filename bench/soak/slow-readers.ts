// `bun bench/soak/slow-readers.ts [readers] [seconds]`: so many readers (1000) take a file of 10 MB at 1 kB a
// second each, for a while (20 s). Shows by how much the service's memory grows and what other visitors wait;
// budgets 150 MB and 100 ms.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import {
  type LargeFile,
  readSlowly,
  storeLargeFiles,
} from '#tests/support/visitors/slow-readers.ts'

const readers = Number(process.argv[2] ?? 1000)
const seconds = Number(process.argv[3] ?? 20)
const growthBytesMax = 150_000_000
const pageMsMax = 100

const dir = await mkdtemp(join(tmpdir(), 'sitehost-readers-'))
const host = await storeLargeFiles(dir)
for (const path of ['stored.bin', 'decoded.bin'] as const) await measure(path)
await rm(dir, { recursive: true })

async function measure(path: LargeFile): Promise<void> {
  await using service = await startServiceProcess(['serve', '--port', '0', '--data', dir], {
    LOG_LEVEL: 'error',
    FIREHOSE_URL: 'http://127.0.0.1:9',
  })
  const end = await readSlowly(service, { host, path, readers, seconds })
  const p99 = end.pageMs[Math.ceil(0.99 * end.pageMs.length) - 1] ?? Number.NaN
  const isWithin = end.growthBytes <= growthBytesMax && p99 <= pageMsMax && end.reading === readers
  process.stdout.write(
    `${path}: ${end.reading} of ${readers} readers; memory grew by ${(end.growthBytes / 1e6).toFixed(0)} MB; ` +
      `p99 of ${end.pageMs.length} other visits ${p99.toFixed(1)} ms (${isWithin ? 'within' : 'OVER'} ` +
      `${growthBytesMax / 1e6} MB, ${pageMsMax} ms)\n`,
  )
  if (!isWithin) process.exitCode = 1
}
