import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareWithLive } from '#cli/deploy/compare-with-live.ts'
import { deployFiles } from '#cli/deploy/deploy-files.ts'
import { LocalContents } from '#cli/deploy/local-contents.ts'
import { readLocalSite } from '#cli/deploy/local-site.ts'
import { recordLedger } from '#cli/deploy/record-ledger.ts'
import { type FailPoint, failPoints } from '#publish/fail-points.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import { versionKeyAt } from '#site/version-key.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { BlobRepo } from '#tests/support/servers/blob-repo.ts'

// A deploy has no memory but the repository: one that is killed is one from which nothing more arrives there.
// `site-owner-cli.test.ts` kills processes.

let dir: string
let contents: LocalContents
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ended-deploy-'))
  contents = new LocalContents()
})
afterEach(async () => {
  await contents[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const blog = siteOf('blog')
const { signal } = new AbortController()
const limits = { fileBytesMax: 1e6, siteBytesMax: 1e9 }

/** So many files that the site has parts. */
async function folderOf(title: string): Promise<UploadedFile[]> {
  const page = (n: number) => `<p>${n < 3 ? title : ''} ${n}</p>`.repeat(40)
  const pages = Array.from({ length: 300 }, (_, n) =>
    Bun.write(join(dir, title, `${n}.html`), page(n)),
  )
  await Promise.all(pages)
  const { files } = await readLocalSite(join(dir, title), limits)
  return await Promise.all(files.map((file) => contents.hash(file)))
}

let clock = 1_000_000

function contextOf(repo: BlobRepo) {
  const parts = { repo: repo.asRepo, folder: contents, now: () => clock, signal }
  const fetchBlob = async (cid: string) => repo.blobs.get(cid) ?? new Uint8Array()
  return { ...parts, ledger: recordLedger(blog, { ...parts, into: null, fetchBlob }) }
}

async function deploy(repo: BlobRepo, files: readonly UploadedFile[], at = (_: FailPoint) => {}) {
  clock += 1000
  const content = { files, changes: null, settings: null }
  const context = { ...contextOf(repo), at, onProgress: () => {} }
  return await deployFiles(blog, content, { key: versionKeyAt(clock, 7) }, context)
}

/** Whether these are the files of the site, each with the bytes that the records name. */
async function isWhole(repo: BlobRepo, files: readonly UploadedFile[]): Promise<boolean> {
  const { ledger, ...context } = contextOf(repo)
  const difference = await compareWithLive(blog, { files, into: null }, ledger, context)
  const { added, changed, removed } = difference
  const named = repo.records().match(/bafkrei[a-z2-7]+/g) ?? []
  expect(named.filter((cid) => !repo.blobs.has(cid))).toEqual([])
  return added.length + changed.length + removed.length === 0
}

/** The points that a deploy passes: from its first request to its last, without those that only a service has. */
const points = failPoints.slice(
  failPoints.indexOf('before-uploads'),
  failPoints.indexOf('after-commit') + 1,
)
const betweenCommits: readonly FailPoint[] = ['parts-written', 'main-written']
const rows: [kind: string, writesMax: number, points: readonly FailPoint[]][] = [
  ['in one commit', 200, points.filter((point) => !betweenCommits.includes(point))],
  ['record by record', 0, points],
]
describe.each(rows)('a deploy that writes %s', (_, writesMax, points) => {
  const open = () => Object.assign(new BlobRepo(), { writesMax })

  test('passes these points', async () => {
    const repo = open()
    await deploy(repo, await folderOf('old'))
    const passed = new Set<FailPoint>()
    await deploy(repo, await folderOf('new'), (point) => passed.add(point))
    expect([...passed]).toEqual([...points])
  })

  test.each(points)(
    'killed at %s leaves the site whole, and the next one goes on',
    async (point) => {
      const repo = open()
      const [old, changed] = [await folderOf('old'), await folderOf('new')]
      await deploy(repo, old)
      const killed = deploy(repo, changed, (passed) => {
        repo.hasEnded ||= passed === point
        if (repo.hasEnded) throw new Error('killed')
      })
      expect(await killed.catch(({ message }) => message)).toBe('killed')
      repo.hasEnded = false
      const isNew = await isWhole(repo, changed)
      expect([isNew, await isWhole(repo, old)]).toEqual([isNew, !isNew])
      await deploy(repo, changed)
      expect(await isWhole(repo, changed)).toBe(true)
      const undisturbed = open()
      for (const files of [old, changed]) await deploy(undisturbed, files)
      const [parts, versions] = ['place.sitehost.subfs', 'place.sitehost.version']
      expect(repo.keys(parts)).toEqual(undisturbed.keys(parts))
      expect(repo.keys(versions)).toHaveLength(undisturbed.keys(versions).length)
    },
  )
})
