import { beforeEach, expect, test } from 'bun:test'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo } from '#tests/support/servers/fake-repo.ts'
import { filesOfBase, unlistedFiles } from './files-of-base.ts'
import { readRepository } from './repository/read-repository.ts'
import { SiteRecords } from './site-records.ts'

const blog = siteOf('blog')
const [fs, subfs] = ['place.sitehost.fs', 'place.sitehost.subfs']

const file: FileNode = {
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: {
    $type: 'blob',
    ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    mimeType: 'text/html',
    size: 1,
  },
}

let repo: FakeRepo
beforeEach(() => {
  repo = new FakeRepo()
  const paths = Array.from({ length: 600 }, (_, n) => `${n}.html` as SitePath)
  const records = new SiteRecords(blog, new Map(paths.map((path) => [path, file])), 0)
  for (const part of records.trees.manifest.parts.keys()) {
    repo.put(subfs, part, { ...records.part(part) })
  }
  repo.put(fs, 'blog', { ...records.manifest })
})

async function read() {
  const signal = new AbortController().signal
  const context = { repo: repo.asRepo, now: () => 0, signal }
  const site = await filesOfBase(blog, null, await readRepository(repo.asRepo, blog.name), context)
  return site.ok ? site.files.size : site.problem
}

test.each([
  ['nothing', []],
  ['its record', [fs]],
  ['its parts', [subfs]],
  ['both', [fs, subfs]],
])('a site of which a listing leaves out %s is read', async (_, collections) => {
  for (const collection of collections) repo.leftOut.add(collection)
  expect(await read()).toBe(600)
})

test('files in parts that a listing left out are known besides the listed ones', async () => {
  const context = { repo: repo.asRepo, now: () => 0, signal: new AbortController().signal }
  const unlisted = async () =>
    await unlistedFiles(blog, await readRepository(repo.asRepo, blog.name), context)
  expect((await unlisted()).size).toBe(0)
  repo.leftOut.add(subfs)
  expect((await unlisted()).size).toBe(600)
  repo.remove(subfs, repo.keys(subfs)[0] ?? '')
  expect((await unlisted()).size).toBe(0)
})

test('a part that is gone, and one that cannot be parsed', async () => {
  const [first = '', second = ''] = repo.keys(subfs)
  repo.put(subfs, second, { root: 'none' })
  repo.leftOut.add(subfs)
  expect(await read()).toContain(`${second} is missing`)
  repo.remove(subfs, first)
  expect(await read()).toContain('is missing')
})
