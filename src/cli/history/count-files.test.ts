import { expect, test } from 'bun:test'
import { readRepository } from '#publish/repository/read-repository.ts'
import { SiteRecords } from '#publish/site-records.ts'
import { manifestFilesMax } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { nameOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo } from '#tests/support/servers/fake-repo.ts'
import { countFiles } from './count-files.ts'

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

test('sites are counted whose records say how many files they have, and those that are too large to say so', async () => {
  const repo = new FakeRepo()
  for (const [name, count] of [['small', 3] as const, ['large', manifestFilesMax + 1] as const]) {
    const paths = Array.from({ length: count }, (_, n) => `${n}.html` as SitePath)
    const records = new SiteRecords(siteOf(name), new Map(paths.map((path) => [path, file])), 0)
    for (const part of records.trees.manifest.parts.keys()) {
      repo.put('place.sitehost.subfs', part, { ...records.part(part) })
    }
    repo.put('place.sitehost.fs', name, { ...records.manifest })
  }
  const context = { repo: repo.asRepo, now: () => 0, signal: new AbortController().signal }
  const counts = await countFiles(await readRepository(repo.asRepo), context)
  expect(counts).toEqual(
    new Map([
      [nameOf('small'), 3],
      [nameOf('large'), manifestFilesMax + 1],
    ]),
  )
})
