import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'

const isPublic = { BASE_URL: 'https://sitehost.example.com', BASE_DOMAIN: 'sites.example.org' }

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-keys-'))
  await using database = openDatabase({ file: join(dir, 'sitehost.db') })
  await migrate(database)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const keys = (...args: string[]) => runCommand(['keys', ...args, '--data', dir], isPublic)

async function storedKeys(): Promise<unknown[]> {
  await using database = openDatabase({ file: join(dir, 'sitehost.db') })
  return await database.db.selectFrom('sealedRows').selectAll().orderBy('key').execute()
}

/** What is said of each key, without its id and the time it was made. */
const statesOf = (said: readonly string[]) =>
  said.map((line) => /^[0-9a-f-]{36} {2}\S+Z {2}(\w+) /.exec(line)?.[1])

test('the first key is made, others are next, and none is forgotten', async () => {
  expect(statesOf((await keys()).said)).toEqual(['signs'])
  const [first] = (await keys('list')).said
  const rotated = await keys('rotate')
  expect(statesOf(rotated.said)).toEqual(['next', 'signs'])
  expect(rotated.said[1]).toBe(first ?? '')
  expect(statesOf((await keys('rotate')).said)).toEqual(['next', 'next', 'signs'])
}, 30_000)

test('a service at a loopback address has none', async () => {
  expect(await runCommand(['keys', '--data', dir])).toEqual({
    code: 1,
    said: [],
    complaints: 'sitehost: a service at a loopback address has no keys (BASE_URL)\n',
  })
})

test('whoever has another secret than the service is told so, and adds none', async () => {
  await keys()
  const before = await storedKeys()
  const other = { ...isPublic, SECRET_KEY: 'another secret of thirty-two characters' }
  const { code, complaints } = await runCommand(['keys', '--data', dir], other)
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints:
      'sitehost: the stored keys are sealed with another SECRET_KEY: run this with the settings of the service\n',
  })
  expect(await storedKeys()).toEqual(before)
}, 30_000)

test('what cannot be done with keys is refused', async () => {
  expect((await keys('burn')).code).toBe(1)
})
