import { beforeEach, expect, test } from 'bun:test'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  newVersion,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { recordVersion } from './record-version.ts'
import { type HistoryPosition, listHistory, positionOf } from './version-history.ts'
import { recordVersionRecord } from './version-records/record-version-record.ts'
import { withdrawReplaced } from './versions.ts'

const blog = siteOf('blog')

onEachStore('store/sites/version-history', (db) => {
  beforeEach(() => upsertAccount(db(), { did: alice }, 1))

  const keep = (n: number, facts = {}) => recordVersionRecord(db(), newVersionRecord(n, facts), n)
  /** The n-th state, at a revision between the records n and n + 1. */
  const publish = (n: number, recordCid = `state ${n}`) =>
    recordVersion(db(), newVersion({ recordCid, rev: `${versionKeyOf(n)}x` }), n)

  async function listed(after: HistoryPosition | null = null, limit = 100): Promise<string[]> {
    const entries = await listHistory(db(), blog, { after, limit })
    return entries.map((entry) =>
      entry.kind === 'record' ? entry.record.cid : entry.state.recordCid,
    )
  }

  test('records and states are merged, newest first', async () => {
    for (const n of [1, 3]) await keep(n)
    for (const n of [0, 1, 2]) await publish(n)
    await keep(4, { site: siteOf('shop').name })
    expect(await listed()).toEqual(['cid 3', 'state 2', 'state 1', 'cid 1', 'state 0'])
  })

  test('a state that a record describes is listed once, as the record', async () => {
    await publish(1, 'manifest 1')
    await keep(1)
    await publish(2)
    expect(await listed()).toEqual(['state 2', 'cid 1'])
    await keep(2, { manifest: 'state 2', site: siteOf('shop').name })
    expect(await listed()).toEqual(['state 2', 'cid 1'])
  })

  test('a record that names a state with other files does not describe it', async () => {
    const facts = { recordCid: 'manifest 1', rev: versionKeyOf(1), filesDigest: 'other' }
    await recordVersion(db(), newVersion(facts), 1)
    await keep(2, { manifest: 'manifest 1' })
    expect(await listed()).toEqual(['cid 2', 'manifest 1'])
    const [first] = await listHistory(db(), blog, { after: null, limit: 1 })
    expect(first).toMatchObject({ record: { manifest: null, problems: [expect.any(String)] } })
  })

  test('pages continue where the last one ended', async () => {
    for (const n of [1, 2, 3]) await keep(n)
    for (const n of [1, 2]) await publish(n)
    const all = await listed()
    expect(all).toHaveLength(5)
    for (const limit of [1, 2, 4, 5]) {
      const pages: string[] = []
      let after: HistoryPosition | null = null
      for (;;) {
        const entries = await listHistory(db(), blog, { after, limit })
        const last = entries.at(-1)
        if (last === undefined) break
        pages.push(...(await listed(after, limit)))
        after = positionOf(last)
      }
      expect(pages).toEqual(all)
    }
  })

  test('a state says whether its files are known', async () => {
    await publish(1)
    await publish(2)
    await withdrawReplaced(db(), blog)
    const entries = await listHistory(db(), blog, { after: null, limit: 10 })
    expect(entries).toMatchObject([
      { kind: 'state', state: { recordCid: 'state 2', state: 'live', hasContent: true } },
      { kind: 'state', state: { recordCid: 'state 1', state: 'replaced', hasContent: false } },
    ])
  })
})
