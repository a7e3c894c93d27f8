import { beforeEach, describe, expect, test } from 'bun:test'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import type { SitePath } from '#site/path.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import { splitTree } from '#site/record/split.ts'
import { buildTree } from '#site/record/tree.ts'
import { FakeRepo } from '#tests/support/fake-repo.ts'
import { siteOf } from '#tests/support/sample-rows.ts'
import { readRepository } from './account-records.ts'
import { SiteConflictError } from './commit-on-head.ts'
import type { FailPoint } from './fail-points.ts'
import { mainCid, writeSite } from './write-site.ts'

const blog = siteOf('blog')
const fs = 'place.sitehost.fs'
const subfs = 'place.sitehost.subfs'

let repo: FakeRepo
let passed: FailPoint[]
beforeEach(() => {
  repo = new FakeRepo()
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
  now: () => 0,
  signal: new AbortController().signal,
  at: (point: FailPoint) => void passed.push(point),
})

const write = async (files: ReturnType<typeof filesOf>, read = readRepository(repo.asRepo)) => {
  const start = await read
  return await writeSite(blog, files, { expectedCid: mainCid(blog, start), start }, context())
}

const commits = () => repo.calls.filter((call) => call === 'applyWrites').length

describe('a site is written in one commit', () => {
  test('small: the main record', async () => {
    const written = await write(filesOf(3))
    expect(written).toEqual({ uri: `at://${blog.did}/${fs}/blog`, cid: 'cid-1' })
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

  test('with a part that somebody deleted: only that', async () => {
    const first = await write(filesOf(600))
    const [lost = ''] = repo.keys(subfs)
    repo.remove(subfs, lost)
    expect(await write(filesOf(600))).toEqual(first)
    expect(repo.keys(subfs)).toContain(lost)
  })
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
    const written = await writeSite(blog, filesOf(600, 2), onto, context())
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
