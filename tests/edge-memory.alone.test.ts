import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { MemoryCase, MemoryTaken } from '#tests/support/visitors/edge-memory.ts'

// `SNAPSHOT_MEMORY_BYTES` bounds what is counted, so what is counted has to be what is taken.

const shareMax = 1.5

test.each<MemoryCase>([
  'plain answers',
  'answers with long headers',
  'answers with many headers',
  'listings',
  'sites with files',
  'sites with redirects',
  'sites with headers',
])(
  '%s take what they count for',
  async (name) => {
    const { counted, resident } = await measure(name)
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
  const program = join(import.meta.dir, 'support/visitors/edge-memory.ts')
  const child = Bun.spawn([process.execPath, program, name], { stdout: 'pipe', stderr: 'inherit' })
  const written = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return JSON.parse(written)
}
