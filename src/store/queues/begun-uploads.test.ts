import { expect, test } from 'bun:test'
import { forgetDeletion } from '#store/accounts/deleted-here.ts'
import { beginAccountDeletion, finishAccountDeletion } from '#store/lifecycle/account-deletions.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { tablesNaming } from '#tests/support/database/named-in.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { countUpload, deleteCountedUploads } from './begun-uploads.ts'

const day = 24 * 60 * 60 * 1000

onEachStore('store/queues/begun-uploads', (db) => {
  const begin = (now: number, did = alice) =>
    countUpload(db(), did, { limits: { uploadsPerDayMax: 2 }, now })

  test('an upload counts for 24 hours, for its own account', async () => {
    expect([await begin(1), await begin(2), await begin(3)]).toEqual([null, null, 2])
    expect(await begin(3, bob)).toBeNull()
    expect([await begin(day + 1), await begin(day + 1)]).toEqual([null, 2])
  })

  test('of concurrent ones no more begin than may', async () => {
    const begun = await Promise.all(Array.from({ length: 9 }, () => begin(1)))
    expect(begun.filter((uploadsMax) => uploadsMax === null)).toHaveLength(2)
  })

  test('the count outlives the account here, without its name', async () => {
    await begin(1)
    await begin(1)
    await beginAccountDeletion(db(), alice, 2)
    await finishAccountDeletion(db(), alice, 3)
    expect(await tablesNaming(db(), alice)).toEqual([])
    await forgetDeletion(db(), alice)
    expect(await begin(4)).toBe(2)
  })

  test('is deleted after a day', async () => {
    await begin(1)
    await begin(2)
    await deleteCountedUploads(db(), day + 1)
    expect(await db().selectFrom('begunUploads').select('at').execute()).toEqual([{ at: 2 }])
  })
})
