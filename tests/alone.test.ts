import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const measures =
  /\b(withinASecond|resident(?!Bytes:)\w*|growthBytes|memoryUsage\.rss)\b|\(\w*MsMax\)/

// Beside other tests a promised second is soon over, and memory is not what it was. `residentBytes: 1` is a sample, no measurement.
test.each(['src', 'web', 'tests', 'devnet'])(
  '%s: what must be quick or small runs alone',
  async (folder) => {
    const beside: string[] = []
    for (const path of new Bun.Glob(`${folder}/**/*.test.ts`).scanSync(root)) {
      if (path.endsWith('.alone.test.ts') || path === 'tests/alone.test.ts') continue
      if (path.includes('node_modules/')) continue
      if (measures.test(await Bun.file(join(root, path)).text())) beside.push(path)
    }
    expect(beside).toEqual([])
  },
)
