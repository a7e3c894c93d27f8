import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import type { SitePath } from '#site/path.ts'
import { partUri } from '#site/record/part.ts'
import { partKey, splitTree } from '#site/record/split.ts'
import { buildTree } from '#site/record/tree.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { versionKeyAt } from '#site/version-key.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { FakeRepo, noPause, refusal } from '#tests/support/servers/fake-repo.ts'
import { SiteConflictError } from './commit-on-head.ts'
import { deleteSite } from './delete-site.ts'

const blog = siteOf('blog')
const shop = siteOf('shop')
const fs = 'place.sitehost.fs'
const subfs = 'place.sitehost.subfs'
const settings = 'place.sitehost.settings'
const version = 'place.sitehost.version'
const createdAt = '2030-01-01T00:00:00.000Z'

let repo: FakeRepo
let database: Database
let wakeUps: WakeUps
beforeEach(async () => {
  repo = new FakeRepo()
  database = await memoryDatabase()
  wakeUps = new WakeUps()
})
afterEach(() => database[Symbol.asyncDispose]())

/** Puts a site of so many files there, with settings. Returns the keys of its parts. */
function hold(site: SiteAddress, count: number): string[] {
  const files = Array.from({ length: count }, (_, i) => [`${i}.html` as SitePath, file] as const)
  const { root, parts } = splitTree(buildTree(new Map(files)), site)
  for (const [key, part] of parts) repo.put(subfs, key, { $type: subfs, ...part, createdAt })
  repo.put(fs, site.name, { $type: fs, site: site.name, root, createdAt })
  repo.put(settings, site.name, { $type: settings, cleanUrls: true })
  return [...parts.keys()].sort()
}

const file = {
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: {
    $type: 'blob',
    ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    mimeType: 'text/html',
    size: 5,
  },
} as const

const erase = (site = blog) =>
  deleteSite(site, {
    repo: repo.asRepo,
    db: database.db,
    wakeUps,
    now: () => 0,
    pause: noPause,
    signal: new AbortController().signal,
  })
const keys = () => [repo.keys(fs), repo.keys(settings), repo.keys(subfs)]
const callsOf = (method: string) => repo.calls.filter((call) => call === method).length
const queued = async (): Promise<string[]> =>
  (await workRows(database.db, 'site')).map(({ site }) => site)

describe('a site goes whole, in one commit', () => {
  for (const count of [0, 3, 600]) {
    test(`of ${count} files, and no other`, async () => {
      const theirs = hold(shop, 600)
      hold(blog, count)
      expect(await erase()).toBe(true)
      expect(keys()).toEqual([['shop'], ['shop'], theirs])
      expect([callsOf('applyWrites'), callsOf('deleteRecord')]).toEqual([1, 0])
    })
  }

  test('without settings: nothing is deleted that is not there', async () => {
    hold(blog, 3)
    repo.remove(settings, 'blog')
    repo.applyWrites = async (writes, head) => {
      const replaces = repo.find(fs, 'blog')?.cid
      expect<unknown>(writes).toEqual([
        { action: 'delete', collection: fs, rkey: 'blog', replaces },
      ])
      return await FakeRepo.prototype.applyWrites.call(repo, writes, head)
    }
    expect(await erase()).toBe(true)
    expect(keys()).toEqual([[], [], []])
  })

  test('even one that we cannot read', async () => {
    repo.put(fs, 'blog', { odd: true })
    expect(await erase()).toBe(true)
    expect(keys()).toEqual([[], [], []])
  })

  test.each([[], [version]])(
    'with the records of its versions, and what only they name; those of other sites stay (beyond the limits: %p)',
    async (...leftOut) => {
      for (const collection of leftOut) repo.leftOut.add(collection)
      const mine = hold(blog, 600)
      const theirs = hold(shop, 600)
      const record = (site: SiteAddress, key = '') => {
        const subject = partUri(alice, key)
        const node = { type: 'subfs', subject, flat: true }
        const root = { type: 'directory', entries: [{ name: 'part', node }] }
        return { $type: version, site: site.name, root, createdAt }
      }
      repo.put(version, versionKeyAt(1, 0), record(blog, mine[0]))
      repo.put(version, versionKeyAt(2, 0), record(shop, theirs[0]))
      expect(await erase()).toBe(true)
      expect(repo.keys(version)).toEqual([versionKeyAt(2, 0)])
      expect(repo.keys(subfs)).toEqual(theirs)
      expect(callsOf('applyWrites')).toBe(1)
      const asked = await workRows(database.db, 'version')
      expect(asked.map(({ site }) => String(site))).toEqual([versionKeyAt(1, 0)])
    },
  )

  test('but a part that another site names stays', async () => {
    const [shared = ''] = hold(blog, 600)
    repo.put(fs, 'shop', { see: partUri(alice, shared) })
    await erase()
    expect(keys()).toEqual([['shop'], [], [shared]])
  })

  test('and ingest is asked to look', async () => {
    using wakeUp = wakeUps.subscribe('site')
    hold(blog, 3)
    await erase()
    await wakeUp.wait(60_000)
    expect(await queued()).toEqual(['blog'])
  })
})

describe('a site that is not there', () => {
  test('is reported, and nothing is written or queued', async () => {
    hold(shop, 600)
    expect(await erase()).toBe(false)
    expect(callsOf('applyWrites')).toBe(0)
    expect(await queued()).toEqual([])
  })

  test('but for what an interrupted deletion left behind: that goes', async () => {
    hold(blog, 600)
    repo.remove(fs, 'blog')
    expect(await erase()).toBe(true)
    expect(keys()).toEqual([[], [], []])
    expect(await erase()).toBe(false)
  })
})

describe('while another program writes', () => {
  test('something else: tried again on the new head', async () => {
    hold(blog, 600)
    repo.before.set('applyWrites', () => void hold(shop, 3))
    expect(await erase()).toBe(true)
    expect(keys()).toEqual([['shop'], ['shop'], []])
    expect(callsOf('applyWrites')).toBe(2)
  })

  test('settings of this site: they go too', async () => {
    hold(blog, 3)
    repo.remove(settings, 'blog')
    repo.before.set('applyWrites', () => repo.put(settings, 'blog', {}))
    expect(await erase()).toBe(true)
    expect(keys()).toEqual([[], [], []])
  })

  test('a name for one of the parts: that part stays', async () => {
    const [shared = ''] = hold(blog, 600)
    repo.before.set('applyWrites', () => repo.put(fs, 'new', { see: partUri(alice, shared) }))
    expect(await erase()).toBe(true)
    expect(keys()).toEqual([['new'], [], [shared]])
  })

  test('the site itself: it stays', async () => {
    hold(blog, 3)
    repo.before.set('applyWrites', () => void hold(blog, 4))
    await expect(erase()).rejects.toBeInstanceOf(SiteConflictError)
    expect(keys()).toEqual([['blog'], ['blog'], []])
    expect(await queued()).toEqual([])
  })

  test('the site itself, on a server that does not take one commit: it stays', async () => {
    hold(blog, 3)
    repo.writesMax = 0
    repo.before.set('deleteRecord', () => void hold(blog, 4))
    await expect(erase()).rejects.toBeInstanceOf(SiteConflictError)
    expect(keys()).toEqual([['blog'], ['blog'], []])
  })

  test('all the time: given up', async () => {
    hold(blog, 3)
    repo.latestCommit = async () => 'commit-of-yesterday'
    await expect(erase()).rejects.toBeInstanceOf(SiteConflictError)
  })

  test('the same deletion: both succeed', async () => {
    hold(blog, 3)
    repo.before.set('applyWrites', () => {
      repo.remove(fs, 'blog')
      repo.remove(settings, 'blog')
    })
    expect(await erase()).toBe(true)
  })
})

describe('servers', () => {
  test('that do not take one commit: main record, settings, parts', async () => {
    hold(blog, 600)
    repo.writesMax = 0
    const deleted: string[] = []
    repo.deleteRecord = async (collection, rkey, replaces) => {
      deleted.push(collection)
      await FakeRepo.prototype.deleteRecord.call(repo, collection, rkey, replaces)
    }
    expect(await erase()).toBe(true)
    expect(keys()).toEqual([[], [], []])
    expect(deleted.slice(0, 3)).toEqual([fs, settings, subfs])
  })

  test('whose answer is lost after the commit', async () => {
    hold(blog, 600)
    repo.applyWrites = async (writes, head) => {
      repo.applyWrites = FakeRepo.prototype.applyWrites
      await repo.applyWrites(writes, head)
      throw new ServerUnreachableError('com.atproto.repo.applyWrites')
    }
    expect(await erase()).toBe(true)
    expect(keys()).toEqual([[], [], []])
  })

  test('that refuse: nothing is gone', async () => {
    hold(blog, 3)
    repo.before.set('applyWrites', () => {
      throw refusal(400, 'RepoDeactivated')
    })
    await expect(erase()).rejects.toMatchObject({ code: 'RepoDeactivated' })
    expect(keys()).toEqual([['blog'], ['blog'], []])
  })

  test('with more left behind than one commit holds: all of it goes, the site first', async () => {
    hold(blog, 3)
    for (let i = 0; i < 250; i++) {
      leaveBehind(new Map([[`${i}.html` as SitePath, file]]))
    }
    expect(repo.keys(subfs)).toHaveLength(250)
    expect(await erase()).toBe(true)
    expect(keys()).toEqual([[], [], []])
    expect(callsOf('applyWrites')).toBe(2)
  })
})

/** A part as a publish of the blog writes it, which nothing names. */
function leaveBehind(files: ReadonlyMap<SitePath, typeof file>): void {
  const root = buildTree(files)
  repo.put(subfs, partKey(blog, root), { $type: subfs, root, createdAt })
}
