import { expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { lockDataDir } from './data-lock.ts'

test('a lock that cannot be opened is told as what cannot be used', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-lock-'))
  try {
    await mkdir(join(dir, 'lock'))
    await expect(lockDataDir(dir)).rejects.toThrow(DatabaseUnavailableError)
  } finally {
    await rm(dir, { recursive: true })
  }
})
