import { beforeEach, expect, test } from 'bun:test'
import { FakeRepo, noPause, refusal } from '#tests/support/servers/fake-repo.ts'
import { deleteAllRecords, RecordsConflictError } from './account-deletions.ts'

const ours = ['place.sitehost.fs', 'place.sitehost.settings', 'place.sitehost.subfs'] as const

let repo: FakeRepo
beforeEach(() => {
  repo = new FakeRepo()
})

function hold(count: number): void {
  for (const collection of ours) {
    for (let n = 0; n < count; n++) repo.put(collection, `record-${n}`, {})
  }
  repo.put('app.bsky.feed.post', 'a-post', {})
}
const deleteAll = () => deleteAllRecords({ repo: repo.asRepo, now: () => 0, pause: noPause })
const left = () => ours.flatMap((collection) => repo.keys(collection))
const callsOf = (method: string) => repo.calls.filter((call) => call === method).length

test('records of all three kinds go in one commit; those of others stay', async () => {
  hold(2)
  await deleteAll()
  expect(left()).toEqual([])
  expect(callsOf('applyWrites')).toBe(1)
  expect(repo.keys('app.bsky.feed.post')).toEqual(['a-post'])
})

test('an empty repository is left alone', async () => {
  await deleteAll()
  expect(callsOf('applyWrites')).toBe(0)
})

test('more than one commit takes: main records first', async () => {
  hold(150)
  repo.before.set('applyWrites', () => {
    repo.before.set('applyWrites', () => expect(repo.keys('place.sitehost.fs')).toEqual([]))
  })
  await deleteAll()
  expect(left()).toEqual([])
  expect(callsOf('applyWrites')).toBe(3)
})

test('another program that writes meanwhile is waited for, and its record goes too', async () => {
  hold(2)
  repo.before.set('applyWrites', () => repo.put('place.sitehost.fs', 'late', {}))
  await deleteAll()
  expect(left()).toEqual([])
})

test('a server that takes no such commit gets them one by one', async () => {
  hold(2)
  repo.writesMax = 0
  await deleteAll()
  expect(left()).toEqual([])
  expect(callsOf('deleteRecord')).toBe(6)
})

test('a program that writes without end is not fought with', async () => {
  hold(1)
  const interfere = () => {
    repo.put('app.bsky.feed.post', 'another', {})
    repo.before.set('applyWrites', interfere)
  }
  interfere()
  await expect(deleteAll()).rejects.toThrow(RecordsConflictError)
  expect(left()).toHaveLength(3)
})

test('what the server refuses is thrown, and nothing is gone', async () => {
  hold(1)
  repo.before.set('applyWrites', () => {
    throw refusal(400, 'InvalidRequest')
  })
  await expect(deleteAll()).rejects.toThrow('server refused')
  expect(left()).toHaveLength(3)
})

test('a server that only says it has deleted them is not asked without end', async () => {
  hold(1)
  repo.applyWrites = async () => ({ cids: [], head: null })
  await expect(deleteAll()).rejects.toThrow(RecordsConflictError)
})
