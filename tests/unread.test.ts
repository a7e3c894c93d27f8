import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { takeDue } from '#store/queues/take-due.ts'
import { retryItem } from '#store/queues/work-items.ts'
import { alice, bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-unread-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const unread = () => runCommand(['unread', '--data', dir])

test('what could not be read is listed, with the reason and when it is tried again', async () => {
  await using database = openDatabase({ file: join(dir, 'sitehost.db') })
  await migrate(database)
  expect(await unread()).toEqual({
    code: 0,
    said: [],
    complaints: 'nothing: every queued site, version and account could be read\n',
  })
  await enqueueSites(askedAt(database.db, 1), [siteOf('gone'), siteOf('slow', bob)])
  for (const item of await takeDue(database.db, { kind: 'site', now: 1, leaseMs: 5, limit: 9 })) {
    await retryItem(database.db, item, { at: item.site === 'gone' ? null : 0, error: 'a\nb' })
  }
  expect((await unread()).said).toEqual([
    `${alice}/gone  parked  tried 1 times  "a\\nb"`,
    `${bob}/slow  1970-01-01T00:00:00.000Z  tried 1 times  "a\\nb"`,
  ])
}, 30_000)
