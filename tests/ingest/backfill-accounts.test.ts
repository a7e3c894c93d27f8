import { afterEach, beforeEach, expect, test } from 'bun:test'
import { backfill } from '#ingest/backfill.ts'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { enqueueAccounts } from '#store/queues/enqueue.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'

onEachStore('a backfill', (store) => {
  let place: IngestPlace
  beforeEach(async () => {
    place = await openIngestPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  test('reads four accounts at a time until none is left', async () => {
    const dids = Array.from({ length: 12 }, (_, n) => `did:web:account-${n}.example` as Did)
    for (const did of dids) await upsertAccount(store(), { did }, 1)
    await place.context.db.deleteFrom('workItems').execute()
    await enqueueAccounts({ ...place.context, db: store() }, dids, { isUrgent: false })
    let running = 0
    let most = 0
    const resolve = async (): Promise<never> => {
      most = Math.max(most, ++running)
      while (running < 4 && most < 4) await new Promise(setImmediate)
      running -= 1
      throw new Error('not reachable')
    }
    const identities = { ...place.context.identities, resolve, verifiedHandle: async () => null }
    const context = { ...place.context, db: store(), identities }
    expect(await backfill(context as never)).toMatchObject({ failedAccounts: 12 })
    expect(most).toBe(4)
  })
})
