import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SitePath } from '#site/path.ts'
import { findCredentials } from './credentials.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'credentials-'))
})
afterAll(() => rm(dir, { recursive: true }))

const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl'
const rows: [path: string, content: string, isFound: boolean][] = [
  ['.npmrc', '//registry/:_authToken=1', true],
  ['sub/.netrc', '', true],
  ['.ssh/config', '', true],
  ['.AWS/credentials', '', true],
  ['keys/id_ed25519', key, true],
  ['keys/id_ed25519.pub', 'ssh-ed25519 AAAA', false],
  ['server.pem', key, true],
  ['chain.pem', '-----BEGIN CERTIFICATE-----\n', false],
  ['talk.key', 'PK\u0003\u0004', false],
  ['store.p12', '', true],
  ['terraform.tfstate', '{}', true],
  ['prod.tfstate.backup', '{}', true],
  ['service-account-prod.json', '{}', true],
  ['serviceAccountKey.json', '{}', true],
  ['accounts.json', '{}', false],
  ['prod.env', 'A=1', true],
  ['environment.html', '', false],
  ['AuthKey_1.p8', '', true],
  ['index.html', key, false],
  ['.well-known/security.txt', '', false],
]

test.each(rows)('%s', async (path, content, isFound) => {
  const realPath = join(dir, path)
  await Bun.write(realPath, content)
  const file = { path: path as SitePath, realPath, bytes: content.length, state: '' }
  expect(await findCredentials([file])).toEqual(isFound ? [path] : [])
})

test('a link to such a file is one', async () => {
  const realPath = join(dir, 'linked')
  const file = { path: 'a.txt' as SitePath, realPath, bytes: 0, state: '', target: '.ssh/config' }
  expect(await findCredentials([file])).toEqual(['a.txt'])
})
