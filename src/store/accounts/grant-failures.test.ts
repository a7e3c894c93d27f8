import { expect, test } from 'bun:test'
import { beginAccountDeletion } from '#store/lifecycle/account-deletions.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { forgetGrantFailures, listGrantFailures, recordGrantFailure } from './grant-failures.ts'

onEachStore('store/accounts/grant-failures', (db) => {
  const fail = (now: number, did = alice) =>
    recordGrantFailure(db(), did, { now, countedEveryMs: 10, pauseMsMax: 100 })

  test('tries count when they are neither too soon nor too late after the last one', async () => {
    const rows: [now: number, since: number, tries: number][] = [
      [1000, 1000, 1],
      [1009, 1000, 1],
      [1010, 1000, 2],
      [1019, 1000, 2],
      [1110, 1000, 3],
      [1211, 1211, 1],
      [1221, 1211, 2],
      // The clock was put back.
      [1220, 1220, 1],
    ]
    for (const [now, since, tries] of rows) expect(await fail(now)).toMatchObject({ since, tries })
    await forgetGrantFailures(db(), alice)
    expect(await fail(1221)).toMatchObject({ since: 1221, tries: 1 })
  })

  test('one of many concurrent tries counts', async () => {
    await Promise.all(Array.from({ length: 9 }, () => fail(1000)))
    expect(await fail(1010)).toMatchObject({ tries: 2 })
  })

  test('accounts are listed longest ago first', async () => {
    await fail(1000)
    await fail(999, bob)
    expect(await listGrantFailures(db(), { askedBefore: 1000, limit: 9 })).toEqual([bob, alice])
    expect(await listGrantFailures(db(), { askedBefore: 999, limit: 9 })).toEqual([bob])
    expect(await listGrantFailures(db(), { askedBefore: 1000, limit: 1 })).toEqual([bob])
  })

  test('nothing is stored for an account that was deleted here', async () => {
    await beginAccountDeletion(db(), alice, 1)
    expect(await fail(1000)).toMatchObject({ since: 1000, tries: 1 })
    expect(await listGrantFailures(db(), { askedBefore: 1000, limit: 9 })).toEqual([])
  })
})
