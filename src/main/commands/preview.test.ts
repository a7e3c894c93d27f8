import { expect, spyOn, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runPreview } from './preview.ts'

test.each([true, undefined])(
  'ends when it is stopped while it starts (watch: %p)',
  async (watch) => {
    const folder = await mkdtemp(join(tmpdir(), 'stopped-'))
    const stop = new AbortController()
    const lines: unknown[] = []
    const log = spyOn(console, 'log').mockImplementation((line) => {
      lines.push(line)
      stop.abort()
    })
    try {
      await runPreview(folder, { port: '0', ...(watch && { watch }) }, stop.signal)
      expect(lines.join('\n')).not.toMatch(/^ready/m)
    } finally {
      log.mockRestore()
      await rm(folder, { recursive: true })
    }
  },
)
