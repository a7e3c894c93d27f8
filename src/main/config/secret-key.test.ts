import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from './config.ts'
import { readSecrets } from './secret-key.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-secret-'))
})
afterEach(() => rm(dir, { recursive: true }))

const long = 'x'.repeat(32)

describe('without a setting', () => {
  test('one is made, kept, and readable by its owner only', async () => {
    const data = join(dir, 'data')
    const [secret, ...others] = await readSecrets([], data)
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(others).toEqual([])
    expect(await readSecrets([], data)).toEqual([secret])
    expect((await stat(join(data, 'secret-key'))).mode & 0o777).toBe(0o600)
    expect(await readdir(data)).toEqual(['secret-key'])
  })

  test('of several that start at once all have the same', async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => readSecrets([], dir)))
    expect(new Set(secrets.flat()).size).toBe(1)
    expect(await readdir(dir)).toEqual(['secret-key'])
  })

  for (const damaged of ['', '\n', 'short']) {
    test(`what is kept is no secret: ${JSON.stringify(damaged)}`, async () => {
      await Bun.write(join(dir, 'secret-key'), damaged)
      await expect(readSecrets([], dir)).rejects.toThrow(ConfigError)
    })
  }
})

describe('with a setting', () => {
  test('nothing is written', async () => {
    expect(await readSecrets([long, `${long}2`], dir)).toEqual([long, `${long}2`])
    expect(await readdir(dir)).toEqual([])
  })

  for (const secrets of [
    [long, ''],
    ['', long],
    [long, 'x'.repeat(31)],
  ]) {
    test(`one of them can be guessed: ${secrets.map((secret) => secret.length)}`, async () => {
      await expect(readSecrets(secrets, dir)).rejects.toThrow(/SECRET_KEY/)
    })
  }
})
