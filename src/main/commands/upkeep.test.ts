import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '#main/process/start-failure.ts'
import { assertOwnFolder } from './upkeep.ts'

const root = 0
const somebody = process.getuid?.() || 65_534

let theirs: string
beforeAll(async () => {
  theirs = await mkdtemp(join(tmpdir(), 'sitehost-owner-'))
  if (process.getuid?.() === root) await chown(theirs, somebody, somebody)
})
afterAll(() => rm(theirs, { recursive: true }))

test('root leaves nothing in somebody else’s folder', async () => {
  const refused = assertOwnFolder(theirs, root)
  await expect(refused).rejects.toThrow(StartError)
  await expect(refused).rejects.toThrow(`${theirs} belongs to user ${somebody}`)
})

test('its owner may, and root in a folder of root’s, or where there is none yet', async () => {
  await assertOwnFolder(theirs, somebody)
  await assertOwnFolder('/', root)
  await assertOwnFolder(join(theirs, 'nowhere'), root)
})
