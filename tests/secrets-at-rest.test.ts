import { expect, test } from 'bun:test'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { startWorld } from './support/world.ts'

test('the data folder of a service with signed-in people holds no token, and is for its owner only', async () => {
  await using world = await startWorld()
  const alice = await world.signedIn('alice.test')
  await alice.publish('site', [{ path: 'index.html', body: new Blob(['hello']) }])
  // From the write-ahead log into the database file, and out of memory.
  await world.restart()

  const files = await readdir(world.dataDir, { recursive: true, withFileTypes: true })
  const texts = await Promise.all(
    files
      .filter((file) => file.isFile() && file.name !== 'secret-key')
      .map(async (file) => await Bun.file(join(file.parentPath, file.name)).text()),
  )
  const all = texts.join('\n')
  expect(all).toContain('oauth-session')
  // How a JWT begins, and the names that the OAuth library stores tokens and keys under. Each is too long
  // to occur by chance in what is encrypted, which is written in the letters of base64url.
  for (const secret of [
    'eyJhbGciOi',
    'eyJ0eXAiOi',
    '"access_token"',
    '"refresh_token"',
    '"dpopKey"',
    '"kty"',
    '"d":"',
  ]) {
    expect({ secret, isThere: all.includes(secret) }).toEqual({ secret, isThere: false })
  }
  for (const path of ['secret-key', '.']) {
    expect((await stat(join(world.dataDir, path))).mode & 0o077).toBe(0)
  }
}, 120_000)
