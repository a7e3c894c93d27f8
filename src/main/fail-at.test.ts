import { expect, test } from 'bun:test'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '#main/config/config.ts'
import { failAt } from './fail-at.ts'

test('a file of fail points is read at the start, so that a typing error ends no publish in the middle', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitehost-fail-at-'))
  const failPointFile = join(folder.path, 'point')
  const start = () => failAt({ failPoint: undefined, failPointFile })
  expect(start).toThrow(ConfigError)
  expect(start).toThrow('cannot be read')
  await writeFile(failPointFile, 'before-comit')
  expect(start).toThrow('names no fail point: before-comit')
  for (const text of ['', 'after-commit\n']) {
    await writeFile(failPointFile, text)
    // This process lives: the point that is reached is another one.
    expect(() => start()('before-commit')).not.toThrow()
  }
})
