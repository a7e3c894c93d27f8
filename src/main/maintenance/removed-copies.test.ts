import { expect, test } from 'bun:test'
import { rememberBlob } from '#store/blobs/blobs.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { removedCopiesOf } from './removed-copies.ts'

const [known = '', removed = ''] = ['a'.repeat(64), 'b'.repeat(64)]

test('copies of blobs that are not known any more are forgotten', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  const blob = { hash: known, storedBytes: 1, decodedHash: known, decodedBytes: 1 }
  await rememberBlob(db, { ...blob, cid: 'bafy', coding: 'identity', base64: false }, 0)
  const forgotten: string[] = []
  const blobCopies = {
    cached: async () => [known, removed],
    forget: async (hash: string) => void forgotten.push(hash),
  }
  await removedCopiesOf({ db, blobCopies })?.forgetRemoved()
  expect(forgotten).toEqual([removed])
})

test('without a bucket there are none', async () => {
  await using database = await memoryDatabase()
  expect(removedCopiesOf({ db: database.db, blobCopies: null })).toBeNull()
})
