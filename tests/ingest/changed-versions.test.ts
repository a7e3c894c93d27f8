import { afterEach, beforeEach, expect, test } from 'bun:test'
import { enqueueChangedVersions } from '#ingest/changed-versions.ts'
import { accountVersionRecordsMax } from '#site/limits.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { rememberVisited } from '#store/lifecycle/visited-accounts.ts'
import { recordVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { alice, newVersionRecord, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
})
afterEach(() => place[Symbol.asyncDispose]())

const cidOf = async (n: number) => await place.pds.putRecord(`place.sitehost.version/${n}`, { n })

/** The server lists these, by key. */
function list(records: ReadonlyMap<string, string | null>): void {
  place.pds.lies.records = (query) => {
    const from = Number(query.get('cursor') ?? 0)
    const page = [...records].slice(from, from + 20).map(([key, cid]) => ({
      uri: `at://${alice}/place.sitehost.version/${key}`,
      ...(cid !== null && { cid }),
      value: {},
    }))
    return Response.json({ records: page, ...(page.length > 0 && { cursor: String(from + 20) }) })
  }
}

async function queued(): Promise<string[]> {
  const { context } = place
  await enqueueChangedVersions(await context.identities.resolve(alice), context)
  return (await workRows(context.db, 'version')).map(({ site }) => site)
}

test('new, edited and removed ones are enqueued, and no key that is none', async () => {
  const { db } = place.context
  await upsertAccount(db, { did: alice }, 1)
  const [same, before, after] = [await cidOf(1), await cidOf(2), await cidOf(3)]
  const cids = [same, before, same, same] as const
  for (const [n, cid] of cids.entries()) {
    await recordVersionRecord(db, newVersionRecord(n, { cid }), 1)
  }
  const listed = [same, after, null, undefined, same] as const
  const entries = listed.flatMap((cid, n) =>
    cid === undefined ? [] : [[versionKeyOf(n), cid] as const],
  )
  list(new Map<string, string | null>([...entries, ['no-tid', same]]))
  expect(await queued()).toEqual([1, 3, 4].map(versionKeyOf))
})

test('of an account with thousands, as many as are kept', async () => {
  await upsertAccount(place.context.db, { did: alice }, 1)
  const keys = Array.from({ length: 5000 }, (_, n) => [versionKeyOf(n), null] as const)
  list(new Map(keys))
  expect(await queued()).toHaveLength(accountVersionRecordsMax)
})

test('none of an unknown account, or of one that is only visited', async () => {
  list(new Map([[versionKeyOf(1), null]]))
  expect(await queued()).toEqual([])
  await rememberVisited(place.context.db, alice, 1)
  await upsertAccount(place.context.db, { did: alice }, 1)
  expect(await queued()).toEqual([])
  expect(place.pds.requests.join()).not.toContain('listRecords')
})
