import { beforeEach, describe, expect, test } from 'bun:test'
import { ServerRefusedError, ServerUnreachableError } from '#outbound/server-errors.ts'
import { versionsKeptDefault } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { splitTree } from '#site/record/split.ts'
import { buildTree } from '#site/record/tree.ts'
import { versionKeyAt } from '#site/version-key.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo, noPause, refusal } from '#tests/support/servers/fake-repo.ts'
import { SiteConflictError } from './commit-on-head.ts'
import type { FailPoint } from './fail-points.ts'
import { overPreviewQuotaSentence, type VersionToWrite } from './new-version.ts'
import { NotPublishableError } from './not-publishable.ts'
import { readRepository } from './repository/read-repository.ts'
import { RecentRepositories } from './repository/recent-repositories.ts'
import { mainCid, writeSite } from './write-site.ts'

const blog = siteOf('blog')
const fs = 'place.sitehost.fs'
const subfs = 'place.sitehost.subfs'

let repo: FakeRepo
let now: number
let passed: FailPoint[]
beforeEach(() => {
  repo = new FakeRepo()
  now = 0
  passed = []
})

const file = (size: number): FileNode => ({
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: {
    $type: 'blob',
    ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    mimeType: 'text/html',
    size,
  },
})

const filesOf = (count: number, first = 1) =>
  new Map(
    Array.from({ length: count }, (_, i) => [
      `${String(i).padStart(4, '0')}.html` as SitePath,
      file(i === 0 ? first : i),
    ]),
  )

const context = () => ({
  repo: repo.asRepo,
  now: () => now,
  pause: noPause,
  signal: new AbortController().signal,
  at: (point: FailPoint) => void passed.push(point),
})

const write = async (
  files: ReturnType<typeof filesOf>,
  read = readRepository(repo.asRepo, blog.name),
  version: VersionToWrite | null = null,
) => {
  const start = await read
  const onto = { expectedCid: mainCid(blog, start), start }
  return await writeSite(blog, files, onto, context(), version)
}

const commits = () => repo.calls.filter((call) => call === 'applyWrites').length

describe('settings that a site brings along', () => {
  const settings = 'place.sitehost.settings'
  const $type = settings
  const writeWith = async (
    fields: SiteSettings,
    first = 1,
    version: VersionToWrite | null = null,
  ) => {
    const start = await readRepository(repo.asRepo, blog.name)
    const onto = { expectedCid: mainCid(blog, start), start }
    return await writeSite(blog, filesOf(3, first), onto, context(), version, {
      kind: 'fields',
      settings: fields,
    })
  }
  const present = () => repo.find(settings, 'blog')?.value

  test('are in the same commit, and those that are not named stay', async () => {
    repo.put(settings, 'blog', { $type, cleanUrls: true, indexFiles: ['a.html'] })
    await writeWith({ $type, indexFiles: ['b.html'] })
    expect(present()).toEqual({ $type, cleanUrls: true, indexFiles: ['b.html'] })
    expect([repo.keys(fs), commits()]).toEqual([['blog'], 1])
  })

  test('are written alone when the site is the same, and not again when they are, too', async () => {
    await write(filesOf(3))
    const { cid } = await writeWith({ $type, cleanUrls: true })
    expect(cid).toBe(repo.find(fs, 'blog')?.cid ?? '')
    await writeWith({ $type, cleanUrls: true })
    expect(commits()).toBe(2)
  })

  test('take the place of what they exclude', async () => {
    repo.put(settings, 'blog', { $type, directoryListing: true, cleanUrls: true })
    await writeWith({ $type, spaMode: 'index.html' })
    expect(present()).toEqual({ $type, spaMode: 'index.html', cleanUrls: true })
  })

  test('are in the record of the version; of a preview only there', async () => {
    const key = versionKeyAt(1, 1)
    const preview = { expiresAt: new Date(9e12).toISOString() }
    await writeWith({ $type, cleanUrls: true }, 2, { key, bytes: 3, preview })
    expect(present()).toBeUndefined()
    expect(repo.find('place.sitehost.version', key)?.value).toMatchObject({
      settings: { cleanUrls: true },
    })
  })
})

test('with parts for several commits, site, version and settings are in one', async () => {
  const settings = 'place.sitehost.settings'
  const seen: string[][] = []
  const original = repo.applyWrites.bind(repo)
  repo.applyWrites = async (writes, head) => {
    seen.push(writes.map(({ collection }) => collection))
    return await original(writes, head)
  }
  // They fit into one commit without the settings, and not with them.
  const headers = Array.from({ length: 18 }, (_, n) => ({
    name: `x-${n}`,
    value: 'v'.repeat(4_000),
  }))
  const change = { kind: 'fields', settings: { $type: settings, headers } } as const
  const onto = { expectedCid: null, start: null }
  await writeSite(blog, filesOf(3_150), onto, context(), kept(1), change)
  expect(seen).toHaveLength(2)
  expect(seen.at(-1)?.slice(-3)).toEqual([fs, version, settings])
}, 20_000)

describe('a site is written in one commit', () => {
  test('small: the main record', async () => {
    const written = await write(filesOf(3))
    expect(written).toEqual({
      uri: `at://${blog.did}/${fs}/blog`,
      cid: repo.find(fs, 'blog')?.cid ?? '',
      version: null,
      versionProblem: null,
    })
    expect(repo.find(fs, 'blog')?.value).toMatchObject({ $type: fs, site: 'blog', fileCount: 3 })
    expect(commits()).toBe(1)
  })

  test('large: its parts with it, and the old ones go', async () => {
    await write(filesOf(600, 1))
    const before = repo.keys(subfs)
    await write(filesOf(600, 2))
    const after = repo.keys(subfs)
    expect(after).toHaveLength(before.length)
    expect(after).not.toEqual(before)
    expect(commits()).toBe(2)
  })

  test('unchanged: not at all', async () => {
    const first = await write(filesOf(600))
    expect(await write(filesOf(600))).toEqual(first)
    expect(commits()).toBe(1)
  })

  test('unchanged, with a record that is beyond the limits of a listing: not at all', async () => {
    const first = await write(filesOf(600))
    repo.leftOut.add(fs)
    expect(await write(filesOf(600))).toEqual(first)
    expect(commits()).toBe(1)
  })

  test('with a part that somebody deleted: only that', async () => {
    const first = await write(filesOf(600))
    const [lost = ''] = repo.keys(subfs)
    repo.remove(subfs, lost)
    expect(await write(filesOf(600))).toEqual(first)
    expect(repo.keys(subfs)).toContain(lost)
  })
})

const version = 'place.sitehost.version'
const settingsOf = 'place.sitehost.settings'

/** To write at this time, and written by another attempt with the same key. */
const kept = (seconds: number, more: Partial<VersionToWrite> = {}): VersionToWrite => ({
  key: versionKeyAt(seconds * 1000, 0),
  bytes: 5,
  ...more,
})

/** A version with another manifest. */
const pinnedOther = {
  pinned: true,
  manifest: 'bafyreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgf5kpqcsgz7soitae',
}

describe('what is known of the repository after a commit', () => {
  const recent = new RecentRepositories()
  const state = () => readRepository(repo.asRepo, blog.name, { recent })
  const publish = async (
    files: ReturnType<typeof filesOf>,
    n: number,
    settings: SiteSettings | null = null,
  ) => {
    const start = await state()
    const onto = { expectedCid: mainCid(blog, start), start }
    const within = { ...context(), recentRepositories: recent }
    const change = settings && ({ kind: 'fields', settings } as const)
    return await writeSite(blog, files, onto, within, kept(n), change)
  }
  const asked = () => repo.calls.filter((call) => call === 'listRecords').length
  beforeEach(() => recent.forget(blog))

  test('is what it holds, and is not read again', async () => {
    for (const n of [0, 1, 2, 3]) {
      const settings = n === 2 ? ({ $type: settingsOf, cleanUrls: true } as const) : null
      await publish(filesOf(600, 700 + n), n, settings)
    }
    const lists = asked()
    const known = await state()
    expect(asked()).toBe(lists)
    expect(lists).toBe(3)
    expect(known).toEqual(await readRepository(repo.asRepo, blog.name))
  })

  test('is read again when another program has written since', async () => {
    await publish(filesOf(3), 0)
    repo.put(fs, 'shop', { theirs: true })
    expect((await state()).sites.has('shop')).toBe(true)
  })

  test('is not known of a server that takes each record alone', async () => {
    repo.writesMax = 0
    await publish(filesOf(3), 0)
    expect((await state()).sites.get('blog')?.cid).toBe(repo.find(fs, 'blog')?.cid ?? '')
  })
})

describe('with a record of the version', () => {
  const publish = (files: ReturnType<typeof filesOf>, to: VersionToWrite) =>
    write(files, readRepository(repo.asRepo, blog.name), to)

  test('in the same commit, which names the manifest that it has', async () => {
    const source = { commit: 'abc' }
    const written = await publish(filesOf(3), kept(1, { message: 'first', source }))
    expect(commits()).toBe(1)
    const { cid, value } = repo.find(fs, 'blog') ?? {}
    const record = repo.find(version, kept(1).key)?.value
    expect(record).toMatchObject({
      ...{ $type: version, site: 'blog', fileCount: 3, bytes: 5, message: 'first', source },
      ...{ manifest: cid, createdAt: (value as { createdAt: string }).createdAt },
    })
    expect(record).not.toHaveProperty('settings')
    expect(written.version?.key).toBe(kept(1).key)
    expect(written.version?.label).toMatch(/^v--[a-z2-7]{26}$/)
    expect(written.versionProblem).toBeNull()
  })

  test('which has the settings of that moment', async () => {
    repo.put(settingsOf, 'blog', { $type: settingsOf, cleanUrls: true, theirs: 1 })
    await publish(filesOf(3), kept(1))
    expect(repo.find(version, kept(1).key)?.value).toMatchObject({
      settings: { $type: settingsOf, cleanUrls: true },
    })
  })

  test('a changed file of 600 adds one part and the record; the old part stays with the old version', async () => {
    await publish(filesOf(600, 1), kept(1))
    const before = repo.keys(subfs)
    await publish(filesOf(600, 2), kept(2))
    const after = repo.keys(subfs)
    expect(after.filter((key) => !before.includes(key))).toHaveLength(1)
    expect(before.filter((key) => !after.includes(key))).toEqual([])
    expect(commits()).toBe(2)
  })

  test('an attempt after a commit whose answer was lost writes nothing', async () => {
    const first = await publish(filesOf(600), kept(1))
    expect(await publish(filesOf(600), kept(1))).toEqual(first)
    expect(commits()).toBe(1)
  })

  test('unchanged content has one record, the first', async () => {
    const first = await publish(filesOf(600), kept(1))
    expect(await publish(filesOf(600), kept(2))).toEqual(first)
    expect(commits()).toBe(1)
  })

  test('unchanged content gets one if it has none, or other settings', async () => {
    await write(filesOf(3))
    await publish(filesOf(3), kept(1))
    const manifest = repo.find(fs, 'blog')?.cid
    expect(repo.find(version, kept(1).key)?.value).toMatchObject({ manifest })
    repo.put(settingsOf, 'blog', { $type: settingsOf, cleanUrls: true })
    await publish(filesOf(3), kept(2))
    expect(repo.keys(version)).toHaveLength(2)
  })

  test('none if the settings say so, and older ones go', async () => {
    await publish(filesOf(3, 1), kept(1))
    await publish(filesOf(3, 2), kept(2))
    repo.put(settingsOf, 'blog', { $type: settingsOf, history: { keep: 0 } })
    const written = await publish(filesOf(3, 3), kept(3))
    expect(written).toMatchObject({ version: null, versionProblem: null })
    // The replaced one is live until this commit.
    expect(repo.keys(version)).toEqual([kept(2).key])
  })

  test('of the oldest beyond those that the owner keeps, two go, with their parts', async () => {
    repo.put(settingsOf, 'blog', { $type: settingsOf, history: { keep: 10 } })
    for (let n = 1; n <= 5; n++) await publish(filesOf(600, n), kept(n))
    expect(repo.keys(version)).toHaveLength(5)
    repo.put(settingsOf, 'blog', { $type: settingsOf, history: { keep: 2 } })
    const parts = repo.keys(subfs).length
    await publish(filesOf(600, 6), kept(6))
    expect(repo.keys(version)).toEqual([3, 4, 5, 6].map((n) => kept(n).key))
    expect(repo.keys(subfs)).toHaveLength(parts + 1 - 2)
  })

  test('so they do when they are beyond the limits of a listing, and count', async () => {
    await publish(filesOf(600, 1), kept(1))
    const record = repo.find(version, kept(1).key)?.value as object
    for (let n = 2; n <= 50; n++) repo.put(version, kept(n).key, { ...record, ...pinnedOther })
    repo.leftOut.add(version)
    expect(await publish(filesOf(600, 2), kept(60))).toMatchObject({ version: null })
    expect(await publish(filesOf(600, 3), kept(61))).toMatchObject({ versionProblem: null })
    expect(repo.keys(version)).not.toContain(kept(1).key)
    expect(repo.keys(version)).toContain(kept(61).key)
  })

  test('unchanged content has one record, also if a listing leaves it out', async () => {
    const first = await publish(filesOf(3), kept(1))
    repo.leftOut.add(version)
    expect(await publish(filesOf(3), kept(2))).toEqual(first)
    repo.put(settingsOf, 'blog', { $type: settingsOf, cleanUrls: true })
    await publish(filesOf(3), kept(3))
    expect(repo.keys(version)).toEqual([kept(1).key, kept(3).key])
  })

  test('a preview leaves the site as it is', async () => {
    await publish(filesOf(3, 1), kept(1))
    const live = repo.find(fs, 'blog')
    const preview = { alias: 'pr-1', expiresAt: '2026-01-01T00:00:00.000Z' }
    const written = await publish(filesOf(3, 2), kept(2, { preview }))
    expect(repo.find(fs, 'blog')).toEqual(live)
    const { cid, value } = repo.find(version, kept(2).key) ?? {}
    expect(written).toMatchObject({ uri: `at://${blog.did}/${version}/${kept(2).key}`, cid })
    expect(value).toMatchObject(preview)
    expect(value).not.toHaveProperty('manifest')
    expect(await publish(filesOf(3, 2), kept(2, { preview }))).toEqual(written)
  })

  test('a server that refuses it gets the site without it', async () => {
    const original = repo.applyWrites.bind(repo)
    repo.applyWrites = async (writes, head) => {
      if (writes.some(({ collection }) => collection === version))
        throw refusal(400, 'RecordTooLarge')
      return await original(writes, head)
    }
    const written = await publish(filesOf(3), kept(1))
    expect(written.version).toBeNull()
    expect(written.versionProblem).toContain('did not accept')
    expect(repo.find(fs, 'blog')?.cid).toBe(written.cid)
  })

  test('a server that refuses it where each record is written alone has the site', async () => {
    repo.writesMax = 0
    const original = repo.putRecord.bind(repo)
    repo.putRecord = async (...args) => {
      if (args[0] === version) throw refusal(413, 'PayloadTooLarge')
      return await original(...args)
    }
    const written = await publish(filesOf(600), kept(1))
    expect(written).toMatchObject({ version: null, cid: repo.find(fs, 'blog')?.cid })
    expect(written.versionProblem).toContain('did not accept')
  })

  test('a site with 50 records of pinned versions gets none, and says so', async () => {
    await publish(filesOf(3, 1), kept(1))
    const record = repo.find(version, kept(1).key)?.value as object
    for (let n = 2; n <= 50; n++) repo.put(version, kept(n).key, { ...record, ...pinnedOther })
    const written = await publish(filesOf(3, 2), kept(60))
    expect(written.version).toBeNull()
    expect(written.versionProblem).toContain('50 entries')
    expect(repo.find(fs, 'blog')?.cid).toBe(written.cid)
  })

  test('a preview of what is live has the time at which it was made', async () => {
    await publish(filesOf(3), kept(1))
    now += 60_000
    const preview = { expiresAt: new Date(9e12).toISOString() }
    const written = await publish(filesOf(3), kept(2, { preview }))
    const createdAt = new Date(now).toISOString()
    expect(repo.find(version, written.version?.key ?? '')?.value).toMatchObject({ createdAt })
  })

  test('the version that it was made from stays until the next one', async () => {
    for (let n = 1; n <= versionsKeptDefault; n++) await publish(filesOf(3, n), kept(n))
    const { key: base } = kept(1)
    await publish(filesOf(3, 20), kept(20, { base }))
    expect(repo.keys(version)).toContain(base)
    // After a crash, too.
    await publish(filesOf(3, 20), kept(20, { base }))
    expect(repo.keys(version)).toContain(base)
    await publish(filesOf(3, 21), kept(21))
    expect(repo.keys(version)).not.toContain(base)
  })

  test('a preview of such a site is refused, and nothing is written', async () => {
    await publish(filesOf(3, 1), kept(1))
    const record = repo.find(version, kept(1).key)?.value as object
    for (let n = 2; n <= 50; n++) repo.put(version, kept(n).key, { ...record, ...pinnedOther })
    const before = commits()
    const preview = { expiresAt: new Date(9e12).toISOString() }
    const refused = publish(filesOf(3, 2), kept(60, { preview }))
    await expect(refused).rejects.toThrow(new NotPublishableError(overPreviewQuotaSentence(50)))
    expect(commits()).toBe(before)
  })

  test.each([404, 409])(
    'an answer %i is not about it: no second commit is tried',
    async (status) => {
      repo.applyWrites = async () => {
        repo.calls.push('applyWrites')
        throw refusal(status, 'Other')
      }
      await expect(publish(filesOf(3), kept(1))).rejects.toThrow(ServerRefusedError)
      expect(commits()).toBe(1)
    },
  )

  test('a site for several commits: parts first, its record and the manifest together', async () => {
    const seen: string[][] = []
    const original = repo.applyWrites.bind(repo)
    repo.applyWrites = async (writes, head) => {
      seen.push(writes.map(({ collection }) => collection))
      return await original(writes, head)
    }
    await publish(filesOf(4_000), kept(1))
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.flat().indexOf(fs)).toBe(seen.flat().length - 2)
    expect(seen.at(-1)?.slice(-2)).toEqual([fs, version])
  }, 20_000)
})

describe('when the repository moves on meanwhile', () => {
  test('for another reason: tried again on the new head', async () => {
    const start = readRepository(repo.asRepo)
    await start
    repo.put('app.bsky.feed.post', 'hello', {})
    await write(filesOf(3), start)
    expect(repo.find(fs, 'blog')).not.toBeNull()
    expect(commits()).toBe(2)
  })

  test('because the site itself was changed: a conflict, and nothing is lost', async () => {
    await write(filesOf(3))
    const start = readRepository(repo.asRepo)
    await start
    const theirs = { ...(repo.find(fs, 'blog')?.value as object), note: 'theirs' }
    repo.put(fs, 'blog', { ...theirs, root: { type: 'directory', entries: [] } })
    await expect(write(filesOf(4), start)).rejects.toBeInstanceOf(SiteConflictError)
    expect(repo.find(fs, 'blog')?.value).toMatchObject({ note: 'theirs' })
  })

  test('because our own commit went through but its answer was lost: done', async () => {
    const start = readRepository(repo.asRepo)
    await start
    const first = await write(filesOf(3))
    expect(await write(filesOf(3), start)).toEqual(first)
  })

  test('all the time: written in order, which only a change of this very site can disturb', async () => {
    const original = repo.applyWrites.bind(repo)
    repo.applyWrites = async (writes, head) => {
      repo.put('app.bsky.feed.post', 'again', {})
      return await original(writes, head)
    }
    await write(filesOf(1))
    expect(repo.find(fs, 'blog')).not.toBeNull()
    expect(repo.calls).toContain('putRecord')
  }, 20_000)
})

describe('a server that does not compare heads', () => {
  beforeEach(() => {
    repo.ignoresSwap = true
  })

  test('has our site, whole, when another program changes it in the same moment', async () => {
    await write(filesOf(600, 1))
    const start = readRepository(repo.asRepo, blog.name)
    await start
    repo.put(fs, 'blog', { root: { type: 'directory', entries: [] } })
    const { cid } = await write(filesOf(600, 2), start)
    expect(repo.find(fs, 'blog')?.cid).toBe(cid)
    const named = JSON.stringify(repo.find(fs, 'blog')?.value).match(/subfs\/[^"]+/g) ?? []
    expect(repo.keys(subfs)).toEqual(expect.arrayContaining(named.map((name) => name.slice(6))))
  })
})

describe('a server that does not take it in one piece', () => {
  test.each([0, 2])(
    'gets parts, main record and removals in order (at most %i writes)',
    async (max) => {
      await write(filesOf(600, 1))
      const before = repo.keys(subfs)
      repo.writesMax = max
      repo.calls.length = 0
      await write(filesOf(600, 2))
      const writes = repo.calls.filter((call) => /put|delete|apply/.test(call))
      expect(writes).toEqual(['applyWrites', 'putRecord', 'putRecord', 'deleteRecord'])
      expect(repo.keys(subfs)).toHaveLength(before.length)
      expect(passed.slice(-4)).toEqual([
        'before-commit',
        'parts-written',
        'main-written',
        'after-commit',
      ])
    },
  )

  test('and whose answer to the main record is lost: done', async () => {
    repo.writesMax = 0
    const start = readRepository(repo.asRepo)
    repo.putRecord = async (...args) => {
      repo.putRecord = FakeRepo.prototype.putRecord
      await repo.putRecord(...args)
      throw new ServerUnreachableError('com.atproto.repo.putRecord')
    }
    const { cid } = await write(filesOf(3), start)
    expect(cid).toBe(repo.find(fs, 'blog')?.cid ?? '')
    expect(repo.calls.filter((call) => call === 'putRecord')).toHaveLength(2)
  })

  test('tells a conflict too', async () => {
    await write(filesOf(3, 1))
    repo.writesMax = 0
    const start = readRepository(repo.asRepo)
    await start
    repo.before.set('putRecord', () => repo.put(fs, 'blog', { root: {} }))
    await expect(write(filesOf(3, 2), start)).rejects.toBeInstanceOf(SiteConflictError)
  })

  test('what is left of a write that was broken off after the main record is done by the next write', async () => {
    await write(filesOf(600, 1))
    const first = repo.keys(subfs)
    const replaces = repo.find(fs, 'blog')?.cid ?? null
    repo.writesMax = 0
    repo.before.set('deleteRecord', () => {
      throw new Error('broken off')
    })
    await expect(write(filesOf(600, 2))).rejects.toThrow('broken off')
    const { cid } = repo.find(fs, 'blog') ?? {}
    expect(cid).not.toBe(replaces ?? '')
    const start = await readRepository(repo.asRepo)
    const onto = { expectedCid: replaces, start }
    const written = await writeSite(blog, filesOf(600, 2), onto, context(), null)
    expect(written.cid).toBe(cid ?? '')
    expect(repo.keys(subfs)).toHaveLength(first.length)
  })

  test('what it left behind goes with the next publish', async () => {
    await write(filesOf(600, 1))
    const first = repo.keys(subfs)
    await write(filesOf(600, 2))
    const [old = ''] = first.filter((key) => !repo.keys(subfs).includes(key))
    const part = splitPartOf(filesOf(600, 1), old)
    repo.put(subfs, old, part)
    await write(filesOf(600, 2))
    expect(repo.keys(subfs)).not.toContain(old)
  })
})

function splitPartOf(files: ReturnType<typeof filesOf>, key: string): unknown {
  const root: Directory | undefined = splitTree(buildTree(files), blog).parts.get(key)?.root
  return { $type: subfs, root, createdAt: new Date(0).toISOString() }
}
