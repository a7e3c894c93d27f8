import { beforeEach, expect, test } from 'bun:test'
import { replacedVersionMs } from '#site/limits.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { earlierVersions } from './earlier-versions.ts'
import { type NewVersion, recordVersion } from './record-version.ts'
import { removeSite } from './remove-site.ts'
import { snapshotPages } from './snapshot-pages.ts'
import { dropReplacedSnapshots, listVersions, withdrawReplaced } from './versions.ts'

onEachStore('store/sites/versions', (db) => {
  beforeEach(async () => void (await upsertAccount(db(), { did: alice }, 1)))
  const blog = siteOf('blog')
  const record = (rev: string, at: number, facts: Partial<NewVersion> = {}) =>
    recordVersion(
      db(),
      newVersion({ rev, recordCid: rev, snapshot: `snapshot ${rev}`, ...facts }),
      at,
    )
  const refuse = (rev: string, problems: string[]) => record(rev, 1, { snapshot: null, problems })

  /** Those whose assets visitors still get, with the time at which they were replaced. */
  const replacedAt = async (now: number): Promise<[string, number][]> => {
    const earlier = await Array.fromAsync(earlierVersions(db(), { ...blog, recordCid: '' }, now))
    return earlier.map(({ snapshot, until }) => [snapshot, until - replacedVersionMs])
  }

  const everySnapshot = async (): Promise<string[]> =>
    (await Array.fromAsync(snapshotPages(db()))).flat().map(({ snapshot }) => snapshot)

  test('versions are listed newest first, with their problems', async () => {
    await record('1', 10, { problems: ['_redirects line 3'] })
    await record('2', 20)
    await refuse('3', ['bad entry'])
    const listed = await listVersions(db(), blog)
    expect(
      listed.map(({ rev, state, problems, replacedAt }) => ({ rev, state, problems, replacedAt })),
    ).toEqual([
      { rev: '3', state: 'invalid', problems: ['bad entry'], replacedAt: null },
      { rev: '2', state: 'live', problems: [], replacedAt: null },
      { rev: '1', state: 'replaced', problems: ['_redirects line 3'], replacedAt: 20 },
    ])
  })

  test('replaced snapshots are listed newest first, without the live one', async () => {
    await record('1', 10)
    await record('2', 20)
    await record('3', 30)
    expect(await replacedAt(30)).toEqual([
      ['snapshot 2', 30],
      ['snapshot 1', 20],
    ])
    expect(await replacedAt(20 + replacedVersionMs)).toEqual([['snapshot 2', 30]])
  })

  test('a removal deletes the replaced snapshots and the live one', async () => {
    await record('1', 10)
    await record('2', 20)
    await removeSite(db(), blog, '3', 30)
    expect(await replacedAt(0)).toEqual([])
    await record('4', 40)
    expect(await replacedAt(0)).toEqual([])
  })

  test('withdrawing leaves only the live snapshot', async () => {
    await record('1', 10)
    await record('2', 20)
    await withdrawReplaced(db(), blog)
    expect(await replacedAt(0)).toEqual([])
    expect(await everySnapshot()).toEqual(['snapshot 2'])
  })

  test('old snapshots are dropped, the versions stay', async () => {
    await record('1', 10)
    await record('2', 20)
    await record('3', 30)
    await dropReplacedSnapshots(db(), 30)
    expect(await replacedAt(30)).toEqual([['snapshot 2', 30]])
    expect(await listVersions(db(), blog)).toHaveLength(3)
  })

  test('all snapshots are listed page by page', async () => {
    await record('1', 10)
    await record('2', 20)
    await record('3', 30, { site: siteOf('shop'), label: 's--shop' })
    await refuse('4', ['bad'])
    const pages = await Array.fromAsync(snapshotPages(db(), { limit: 2 }))
    expect(pages.map(({ length }) => length)).toEqual([2, 1])
    const walked = pages.flat().map(({ snapshot }) => snapshot)
    expect(walked.sort()).toEqual(['snapshot 1', 'snapshot 2', 'snapshot 3'])
    const ofBlog = await Array.fromAsync(snapshotPages(db(), { site: blog, limit: 1 }))
    expect(ofBlog.map((page) => page.map(({ snapshot }) => snapshot))).toEqual([
      ['snapshot 1'],
      ['snapshot 2'],
    ])
  })
})
