import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { smallFiles, textFile } from '#tests/support/publishing/upload-files.ts'
import type { AppClient } from '../devnet/app-client.ts'
import {
  createSession,
  deleteRecord,
  getRecord,
  listRecords,
  type PdsAccount,
  putRecord,
} from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// Several hands on one repository: two browsers, other programs, and a person who thinks again.

let world: World
let alice: AppClient
let repo: PdsAccount
beforeAll(async () => {
  world = await startWorld({ canFail: true })
  alice = await world.signedIn('alice.test')
  repo = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

test('one site from two browsers at once: one publishes it, the other is told to wait', async () => {
  const other = await world.signedIn('alice.test')
  const answers = await Promise.all([
    alice.upload('both', smallFiles(20, 'mine')),
    other.upload('both', smallFiles(20, 'theirs')),
  ])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const bodies = await Promise.all(answers.map((answer) => answer.json()))
  const { jobId } = bodies.find((body) => body.jobId) as { jobId: string }
  expect(bodies.find((body) => body.error)).toEqual({
    error: 'This site is being published already. Wait until that has finished.',
  })
  expect((await alice.watch(jobId)).error).toBeNull()
}, 120_000)

test('several sites of one account: one after the other, all of them', async () => {
  const ids: string[] = []
  for (const name of ['first', 'second', 'third']) {
    ids.push(await uploaded(name, smallFiles(20, name)))
  }
  const jobs = await Promise.all(ids.map((id) => alice.watch(id)))
  expect(jobs.map(({ result }) => result?.['live'])).toEqual([true, true, true])
}, 120_000)

test('another program writes to the repository all the time: published all the same', async () => {
  let isOver = false
  let posts = 0
  const writing = (async () => {
    while (!isOver) {
      const text = `post ${posts}`
      const createdAt = new Date().toISOString()
      await putRecord(repo, 'app.bsky.feed.post', '3kaaaaaaaaaa2', { text, createdAt })
      posts += 1
    }
  })()
  try {
    const result = await alice.publish('busy', smallFiles(60, 'busy'))
    expect(result).toMatchObject({ fileCount: 60 })
  } finally {
    isOver = true
    await writing
  }
  expect(posts).toBeGreaterThan(3)
}, 120_000)

test('another program changes the site meanwhile: it stays as that left it, and says so', async () => {
  await alice.publish('contested', [textFile('index.html', 'first')])
  const before = await getRecord(repo, 'place.sitehost.fs', 'contested')
  const theirs = { ...(before as object), createdAt: '2030-01-01T00:00:00.000Z' }
  const { error } = await duringUploads('contested', () =>
    putRecord(repo, 'place.sitehost.fs', 'contested', theirs),
  )
  expect(error).toBe(
    'This site was changed by another program meanwhile. Nothing of your upload was published; ' +
      'upload again to replace it.',
  )
  expect(await getRecord(repo, 'place.sitehost.fs', 'contested')).toEqual(theirs)
  expect(await alice.publish('contested', smallFiles(30, 'contested'))).toMatchObject({
    uploadedCount: 0,
  })
}, 120_000)

test('another program deletes the site whose files were to be used again: they are sent', async () => {
  const files = smallFiles(30, 'shared')
  await alice.publish('source', files)
  const { result, error } = await duringUploads(
    'copy',
    () => deleteRecord(repo, 'place.sitehost.fs', 'source'),
    files,
  )
  expect({ result, error }).toMatchObject({ result: { success: true }, error: null })
}, 120_000)

test('cancelled while it uploads: nothing is published, nothing stays in the spool', async () => {
  await alice.publish('cancelled', [textFile('index.html', 'before')])
  const before = await getRecord(repo, 'place.sitehost.fs', 'cancelled')
  const parts = await listRecords(repo, 'place.sitehost.subfs')
  const { error } = await duringUploads('cancelled', async (jobId) => {
    const answer = await alice.fetch(path(jobId), { method: 'DELETE' })
    expect([answer.status, await answer.json()]).toEqual([200, { success: true }])
  })
  expect(error).toBe('The upload was cancelled. Nothing was published.')
  expect(await getRecord(repo, 'place.sitehost.fs', 'cancelled')).toEqual(before)
  expect(await listRecords(repo, 'place.sitehost.subfs')).toEqual(parts)
  await eventually(async () => expect(await readdir(join(world.dataDir, 'spool'))).toEqual([]))
}, 120_000)

test('cancelled: not by others, not what there is not, and not twice', async () => {
  const bob = await world.signedIn('bob.test')
  const cancel = async (client: AppClient, id: string) => {
    const answer = await client.fetch(path(id), { method: 'DELETE' })
    return [answer.status, ((await answer.json()) as { error?: string }).error]
  }
  await duringUploads('mine', async (jobId) => {
    expect(await cancel(bob, jobId)).toEqual([403, 'Unauthorized'])
    expect(await cancel(alice, crypto.randomUUID())).toEqual([404, 'Job not found'])
    expect(await cancel(alice, jobId)).toEqual([200, undefined])
    expect(await cancel(alice, jobId)).toEqual([409, 'This upload has ended already.'])
  })
}, 120_000)

const path = (jobId: string) => `/sitehost/upload-progress/${jobId}`

async function uploaded(siteName: string, files: ReturnType<typeof smallFiles>): Promise<string> {
  const answer = await alice.upload(siteName, files)
  return ((await answer.json()) as { jobId: string }).jobId
}

/** Publishes 30 new files, and when eight of them are there, does this before the others go on. */
async function duringUploads(
  siteName: string,
  meanwhile: (jobId: string) => Promise<unknown>,
  more: ReturnType<typeof smallFiles> = [],
) {
  world.network.setFaults({ 'com.atproto.repo.uploadBlob': { after: 8, hold: true } })
  const files = smallFiles(30, siteName).map((file) => ({ ...file, path: `new/${file.path}` }))
  const jobId = await uploaded(siteName, [...files, ...more])
  await eventually(async () => {
    const stream = await alice.fetch(path(jobId))
    const reader = stream.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    await reader?.cancel()
    expect(new TextDecoder().decode(value)).toContain('"filesUploaded":8')
  })
  await meanwhile(jobId)
  world.network.setFaults({})
  return await alice.watch(jobId)
}
