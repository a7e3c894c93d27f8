import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { alice } from '#tests/support/database/sample-rows.ts'
import { SavedAccounts } from './saved-accounts.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'saved-accounts-'))
  file = join(dir, 'sitehost/accounts.json')
})
afterEach(() => rm(dir, { recursive: true }))

const account = { did: alice, handle: null, server: '', origin: '', session: { token: 'secret' } }
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
const save = async () => {
  const accounts = new SavedAccounts(file)
  await accounts.withLock(() => accounts.keep(account))
}

test('a folder and a file that only their owner may read, whatever the umask', async () => {
  const before = process.umask(0)
  await save()
  process.umask(before)
  const names = await readdir(dirname(file))
  expect(await modeOf(dirname(file))).toBe('700')
  for (const name of names) expect(await modeOf(join(dirname(file), name))).toBe('600')
})

test('one that others may read loses that right when it is read, and its folder when it is written', async () => {
  await mkdir(dirname(file))
  await writeFile(file, JSON.stringify({ current: alice, accounts: [account] }))
  await Promise.all([chmod(dirname(file), 0o755), chmod(file, 0o664)])
  expect(await new SavedAccounts(file).find()).toEqual(account)
  expect(await modeOf(file)).toBe('600')
  await save()
  expect([await modeOf(dirname(file)), await modeOf(file)]).toEqual(['700', '600'])
})
