import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { countUploads } from '#tests/support/publishing/count-uploads.ts'
import { type PlainFile, readSitePlainly } from '#tests/support/publishing/plain-reader.ts'
import type { AppClient, UploadFile } from '../devnet/app-client.ts'
import { listRecords, type PdsAccount } from './support/accounts.ts'
import { startWorldOfAlice, type World } from './support/world.ts'

// Sites of every size, published again and again: what is written to the repository, and what is not.

let world: World
let alice: AppClient
let repo: PdsAccount
beforeAll(async () => {
  ;({ world, alice, repo } = await startWorldOfAlice({ countsCalls: true }))
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

const text = (path: string, body: string): UploadFile => ({ path, body: new Blob([body]) })
/** Many files with few contents: what costs an account's server time is a blob, not a file. */
const many = (count: number, pathOf: (i: number) => string): UploadFile[] =>
  Array.from({ length: count }, (_, i) => text(pathOf(i), `file ${i % 30} of this site`))

const partsOf = async () => (await listRecords(repo, 'place.sitehost.subfs')).length

async function expectReadable(siteName: string, files: readonly UploadFile[]): Promise<void> {
  const read = await readSitePlainly(repo, siteName)
  const wanted = await Promise.all(
    files.map(async ({ path, body }): Promise<PlainFile> => ({ path, content: await body.text() })),
  )
  const sorted = (all: PlainFile[]) => all.sort((a, b) => (a.path < b.path ? -1 : 1))
  expect(sorted(read)).toEqual(sorted(wanted))
}

describe('a reader that knows only the specification rebuilds the site', () => {
  test.each([
    ['a small one', 'small', many(3, (i) => `${i}.html`)],
    ['251 files in folders', 'folders', many(251, (i) => `d${i % 4}/${i}.html`)],
    [
      '1000 files with names of 255 bytes in one directory',
      'wide',
      many(1000, (i) => `${i}-`.padEnd(250, 'x').concat('.html')),
    ],
  ])(
    '%s',
    async (_, siteName, files) => {
      const result = await alice.publish(siteName, files)
      expect(result).toMatchObject({ fileCount: files.length })
      await expectReadable(siteName, files)
      const last = files.at(-1)
      const page = await fetch(new URL(encodeURIComponent(last?.path ?? ''), String(result['url'])))
      if (!last?.path.includes('/')) expect(await page.text()).toBe((await last?.body.text()) ?? '')
    },
    120_000,
  )
})

describe('published again', () => {
  // A folder that all files share would be stripped.
  const files = [...many(299, (i) => `docs/${i}.html`), text('index.html', 'start')]

  test('unchanged: nothing is uploaded and nothing written', async () => {
    const first = await alice.publish('again', files)
    const uploads = await countUploads(world)
    const second = await alice.publish('again', files)
    expect(second).toMatchObject({ cid: first['cid'], uploadedCount: 0, reusedCount: 300 })
    expect(await uploads()).toBe(0)
  }, 120_000)

  test('with one changed file: one upload and one part; the old part stays with its version', async () => {
    const before = await partsOf()
    const uploads = await countUploads(world)
    const changed = [...files.slice(1), text('docs/0.html', 'changed')]
    expect(await alice.publish('again', changed)).toMatchObject({
      uploadedCount: 1,
      reusedCount: 299,
    })
    expect(await uploads()).toBe(1)
    expect(await partsOf()).toBe(before + 1)
    await expectReadable('again', changed)
  }, 120_000)

  test('with a renamed folder, in another site, twice in one site: nothing is uploaded', async () => {
    const uploads = await countUploads(world)
    const renamed = files.map(({ path, body }) => ({
      path: path.replace('docs', 'handbook'),
      body,
    }))
    await alice.publish('renamed', renamed)
    const twice = renamed.slice(0, 100).flatMap((file) => [
      { ...file, path: `a/${file.path}` },
      { ...file, path: `b/${file.path}` },
    ])
    await alice.publish('twice', twice)
    expect(await uploads()).toBe(0)
    await expectReadable('twice', twice)
  }, 120_000)

  test('smaller: its parts are gone with the last version that has them', async () => {
    const filesOf = (count: number) => many(count, (i) => `${i}.txt`)
    await alice.publish('shrinking', filesOf(300))
    const before = await partsOf()
    const settings = await alice.fetch('/api/site/shrinking/settings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ history: { keep: 0 } }),
    })
    expect(settings.status).toBe(200)
    await alice.publish('shrinking', filesOf(2))
    expect(await partsOf()).toBe(before)
    await alice.publish('shrinking', filesOf(3))
    expect(await partsOf()).toBeLessThan(before)
    await expectReadable('shrinking', filesOf(3))
  }, 120_000)

  test('empty', async () => {
    const answer = await alice.upload('shrinking', [])
    expect(await answer.json()).toMatchObject({ success: true, fileCount: 0 })
    await expectReadable('shrinking', [])
  }, 120_000)
})
