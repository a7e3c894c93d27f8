import { describe, expect, test } from 'bun:test'
import { chooseFiles, chooseFolder } from './choose-files.ts'
import { pickedOf } from './picked-file.ts'

describe('chooseFiles', () => {
  test('takes away the folder that was picked, and names it', async () => {
    const { files, folder } = await choose('blog/index.html', 'blog/css/site.css')
    expect(files.map(({ path }) => String(path))).toEqual(['index.html', 'css/site.css'])
    expect(folder).toBe('blog')
  })

  test('loose files have no folder', async () => {
    expect((await choose('index.html', 'blog/a.html')).folder).toBe('')
    expect((await choose('blog/a.html', 'blog2/b.html')).folder).toBe('')
  })

  test('adds up the bytes of what will be sent', async () => {
    const { totalBytes } = await choose('a/1.txt', 'a/22.txt', 'a/.git/333')
    expect(totalBytes).toBe('a/1.txta/22.txt'.length)
  })

  test('a folder that is left out counts once', async () => {
    const { leftOut } = await choose('a/i.html', 'a/node_modules/x/1.js', 'a/node_modules/y/2.js')
    expect(leftOut).toEqual([{ name: 'a/node_modules', reason: 'installed packages' }])
  })

  test('leaves out what the rules of the folder say', async () => {
    const rules = { 'a/.sitehostignore': '*.psd\n', 'a/sitehost.json': '{ "ignore": ["drafts/"] }' }
    const { files, leftOut } = await choose('a/index.html', 'a/x.psd', 'a/drafts/1.html', rules)
    expect(files.map(({ path }) => String(path))).toEqual(['index.html'])
    expect(leftOut.map(({ reason }) => reason).sort()).toEqual(['.sitehostignore', 'sitehost.json'])
  })

  test('uses the name and the settings of sitehost.json, and does not publish it', async () => {
    const settings = { cleanUrls: true }
    const file = JSON.stringify({ site: 'blog', settings })
    const chosen = await choose('index.html', { 'sitehost.json': file })
    expect(chosen.siteName).toBe('blog')
    expect(chosen.settings).toMatchObject(settings)
    expect(chosen.files).toHaveLength(1)
  })

  test('a mistake in sitehost.json is a problem with its line and column', async () => {
    const chosen = await choose('index.html', { 'sitehost.json': '{\n  "site": 7 }' })
    expect(chosen.problems).toEqual(['sitehost.json, line 2, column 11: site: expected a string.'])
  })

  test('nothing to publish is a problem', async () => {
    expect((await choose()).problems).toHaveLength(1)
    expect((await choose('a/.env')).problems).toHaveLength(1)
    expect((await choose('a/index.html')).problems).toEqual([])
  })

  test('10 000 files are a site, 10 001 are not, unless rules leave one out', async () => {
    expect((await choose(...numbered(10_000))).problems).toEqual([])
    expect((await choose(...numbered(10_001))).problems).toHaveLength(1)
    const rules = { 'a/.sitehostignore': '10000.html' }
    expect((await choose(rules, ...numbered(10_001))).problems).toEqual([])
  })
})

test('a folder of what was chosen becomes the site', async () => {
  const chosen = await choose('a/package.json', 'a/dist/index.html', 'a/dist/x/y.js')
  expect(chosen.startPage).toEqual({ kind: 'folder', folder: 'dist' })
  const { files, folder, startPage } = await chooseFolder(chosen, 'dist')
  expect(files.map(({ path }) => String(path))).toEqual(['index.html', 'x/y.js'])
  expect(folder).toBe('a')
  expect(startPage.kind).toBe('index')
})

const pages: [string[], string][] = [
  [['index.html', 'b.html'], 'index'],
  [['b/index.html', 'c.html'], 'folder'],
  [['b/index.html', 'd/index.html'], 'none'],
  [['about.html', 'style.css'], 'page'],
  [['about.html', 'other.html'], 'none'],
  [['_redirects', 'about.html'], 'index'],
]
test.each(pages)('of %j, the start page is: %s', async (paths, kind) => {
  expect((await choose(...paths, 'picture.png')).startPage.kind).toBe(kind as 'index')
})

const archives: [string[], string | null][] = [
  [['blog.tar'], 'blog'],
  [['my.blog.TAR.GZ'], 'my.blog'],
  [['blog.tgz', '.DS_Store'], 'blog'],
  [['blog.gz'], null],
  [['tar'], null],
  [['a/blog.tar'], null],
  [['blog.tar', 'index.html'], null],
]
test.each(archives)('the archive among %j is %j', async (paths, name) => {
  const { isSealed, folder } = await choose(...paths)
  expect(isSealed).toBe(name !== null)
  if (name !== null) expect(folder).toBe(name)
})

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `a/${i}.html`)

/** Each file has its own path in it, or what is said. */
function choose(...paths: (string | Record<string, string>)[]) {
  const contents = paths.flatMap((path) =>
    typeof path === 'string' ? [[path, path] as const] : Object.entries(path),
  )
  return chooseFiles(contents.map(([path, content]) => pickedOf(path, new Blob([content]))))
}
