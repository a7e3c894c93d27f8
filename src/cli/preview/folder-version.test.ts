import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FolderListing, listFolder } from '#cli/folder/folder-listing.ts'
import { ruleFileBytesMax } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { uploadBytesMax } from '#site/upload/upload-refusal.ts'
import { decodeSnapshot, encodeSnapshot } from '#site/visit/snapshot.ts'
import { readFolderVersion } from './folder-version.ts'
import { StoredFiles } from './stored-files.ts'

const limits = { fileBytesMax: 1000, siteBytesMax: 3000 }
const { signal } = new AbortController()

let dir: string
let stored: StoredFiles
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'version-'))
  stored = await StoredFiles.create(dir)
})
afterAll(() => rm(dir, { recursive: true }))

const read = (listing: FolderListing, settings: SiteSettings | null = null) =>
  readFolderVersion(listing, { stored, settings, limits, signal, now: () => 7 })

async function readFiles(files: Readonly<Record<string, string>>, settings?: SiteSettings) {
  const folder = await mkdtemp(join(dir, 'folder-'))
  for (const [path, text] of Object.entries(files)) await Bun.write(join(folder, path), text)
  return await read(await listFolder(folder), settings)
}

/** A file that was there when it was listed. */
const gone = (path: string, bytes: number) =>
  ({ path, bytes, realPath: join(dir, 'gone'), state: '' }) as const

test('a version is what ingest would make of the published folder', async () => {
  const settings: SiteSettings = { $type: 'place.sitehost.settings', cleanUrls: true }
  const rules = { _redirects: '/a /b\n', _headers: '/*\n  X-A: b\n' }
  const { snapshot, problems } = await readFiles({ 'index.html': 'home', ...rules }, settings)
  expect(snapshot).toMatchObject({
    publishedAt: 7,
    settings,
    redirects: rules._redirects,
    headers: rules._headers,
  })
  expect([...snapshot.files.keys()]).toEqual(['_headers', '_redirects', 'index.html'])
  expect(decodeSnapshot(encodeSnapshot(snapshot))).toEqual(snapshot)
  expect(problems).toEqual([])
})

test('a sitehost.json is obeyed, after other settings, and is no file of the site', async () => {
  const cleanUrls: SiteSettings = { $type: 'place.sitehost.settings', cleanUrls: true }
  const text = '{ "settings": { "cleanUrls": true }, "ignore": ["*.psd"] }'
  const files = { 'index.html': 'home', 'a.psd': 'large', 'sitehost.json': text }
  const { snapshot, leftOut } = await readFiles(files)
  expect([...snapshot.files.keys()]).toEqual(['index.html'])
  expect(snapshot.settings).toEqual(cleanUrls)
  expect(leftOut).toEqual([{ path: 'a.psd', reason: 'sitehost.json' }])
  const own: SiteSettings = { $type: 'place.sitehost.settings', spaMode: 'index.html' }
  expect((await readFiles(files, own)).snapshot.settings).toEqual(own)
  expect((await readFiles({ ...files, 'sitehost.json': '[]' })).problems).toEqual([
    expect.stringMatching(/^publishing would refuse this: sitehost\.json, line 1, column 1: /),
  ])
})

test('problems of all kinds are one list', async () => {
  const files = {
    'a.html': 'x'.repeat(1001),
    '.sitehostignore': '[\n',
    _redirects: '/a /b 999',
    'netlify.toml': '',
  }
  expect((await readFiles(files)).problems).toEqual([
    expect.stringMatching(/^\.sitehostignore, line 1: /),
    expect.stringMatching(/^publishing would refuse this: "a\.html" is larger than /),
    expect.stringMatching(/^_redirects, line 1: /),
    expect.stringMatching(/^netlify\.toml is /),
  ])
})

test('a folder without a start page has a problem, unless its settings mean something else', async () => {
  expect((await readFiles({ 'dist/index.html': 'home', 'a.txt': '' })).problems).toEqual([
    expect.stringMatching(/^There is no index\.html at the top, but one in dist: /),
  ])
  const list: SiteSettings = { $type: 'place.sitehost.settings', directoryListing: true }
  expect((await readFiles({ 'a.txt': '' }, list)).problems).toEqual([])
})

test('rules that are too large to be used are a problem', async () => {
  const { snapshot, problems } = await readFiles({ _headers: '#'.repeat(ruleFileBytesMax + 1) })
  expect(snapshot.headers).toBe('')
  expect(problems).toContainEqual(expect.stringMatching(/^_headers is not used: /))
})

test('without its .sitehostignore a folder is not read', async () => {
  const listing = { files: [gone('.sitehostignore', 5), gone('secret.txt', 5)], leftOut: [] }
  await expect(read(listing)).rejects.toThrow('.sitehostignore cannot be read (ENOENT)')
})

describe('of a folder', () => {
  const bytesMax = uploadBytesMax(limits)
  test('as large as an upload may be, files are read', async () => {
    const { leftOut } = await read({ files: [gone('large', bytesMax)], leftOut: [] })
    expect(leftOut).toEqual([{ path: 'large', reason: 'cannot be read (ENOENT)' }])
  })
  test('larger than that, none', async () => {
    const listing = { files: [gone('large', bytesMax), gone('small', 1)], leftOut: [] }
    await expect(read(listing)).rejects.toThrow(/^This upload is larger than 16\.8 MB\./)
  })
})
