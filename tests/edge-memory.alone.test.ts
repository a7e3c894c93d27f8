import { expect, test } from 'bun:test'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Semaphore } from '#concurrency/semaphore.ts'
import type { MemoryCase, MemoryTaken } from '#tests/support/visitors/edge-memory.ts'

// `SNAPSHOT_MEMORY_BYTES` bounds what is counted, so what is counted has to be what is taken.

const shareMax = 1.5

const cases: readonly MemoryCase[] = [
  'plain answers',
  'answers with long headers',
  'answers with many headers',
  'listings',
  'sites with files',
  'sites with redirects',
  'sites with headers',
]

// Each has a process of its own, whose memory is its own, however many are beside it.
const processes = new Semaphore({ max: availableParallelism() })
const taken = new Map(cases.map((name) => [name, measure(name)]))
for (const each of taken.values()) each.catch(() => undefined) // its test tells

test.each(cases)(
  '%s take what they count for',
  async (name) => {
    const { counted = 0, resident = Infinity } = (await taken.get(name)) ?? {}
    const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)
    process.stderr.write(
      `${name}: ${megabytes(counted)} MB counted, ${megabytes(resident)} taken\n`,
    )
    expect(resident / counted).toBeLessThan(shareMax)
    expect(counted / resident).toBeLessThan(2 * shareMax)
  },
  120_000,
)

async function measure(name: MemoryCase): Promise<MemoryTaken> {
  using _ = await processes.acquire()
  const program = join(import.meta.dir, 'support/visitors/edge-memory.ts')
  const child = Bun.spawn([process.execPath, program, name], { stdout: 'pipe', stderr: 'inherit' })
  const written = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return JSON.parse(written)
}
