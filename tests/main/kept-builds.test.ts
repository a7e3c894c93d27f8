import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmod, mkdir, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keptBuilds, keptResults, textOf } from '#main/build-cache/kept-builds.ts'

let root: string
let bundled: number
beforeEach(async () => {
  root = join(tmpdir(), `kept-builds-${crypto.randomUUID()}`)
  bundled = 0
  await write('package.json', '{}')
  await write('tsconfig.json', '{}')
  await write('node_modules/.package-lock.json', '{ "packages": {} }')
  await write('web/page.ts', "import { word } from '../src/word.ts'; console.log(word)")
  await write('src/word.ts', "export const word = 'first'")
})
afterEach(() => rm(root, { recursive: true }))

const write = (path: string, text: string) => Bun.write(join(root, path), text)

/** The text of the bundle, as a process that starts now sends it. */
async function bundle(minify = false): Promise<string> {
  const counter = { name: 'counter', setup: () => void bundled++ }
  const entrypoints = [join(root, 'web/page.ts')]
  const options = { entrypoints, minify, metafile: true, plugins: [counter] }
  const { files, metafile } = await keptBuilds(keptResults(root))(options)
  expect(files).toMatchObject([{ path: './page.js', isEntry: true }])
  expect(files[0]?.contentType).toStartWith('text/javascript')
  expect(Object.keys(metafile.outputs)).toEqual(['./page.js'])
  return files.map(textOf).join()
}

test('the same files are bundled once for the same options', async () => {
  const text = await bundle()
  expect(text).toContain('first')
  expect([await bundle(), bundled]).toEqual([text, 1])
  expect(await bundle(true)).not.toBe(text)
  expect([await bundle(), bundled]).toEqual([text, 2])
})

test.each(['src/word.ts', 'web/other.css', 'package.json', 'node_modules/.package-lock.json'])(
  'another %s: they are bundled again',
  async (path) => {
    await bundle()
    await write(path, path === 'src/word.ts' ? "export const word = 'second'" : '{ "a": 1 }')
    expect(await bundle()).toContain(path === 'src/word.ts' ? 'second' : 'first')
    expect(bundled).toBe(2)
  },
)

test('a test is not one of them', async () => {
  await bundle()
  await write('src/word.test.ts', '')
  await bundle()
  expect(bundled).toBe(1)
})

test('a kept bundle that was cut off is replaced', async () => {
  const text = await bundle()
  const dir = join(root, 'node_modules/.cache/sitehost')
  for (const name of await readdir(dir)) {
    const kept = await Bun.file(join(dir, name)).bytes()
    await Bun.write(join(dir, name), kept.subarray(0, kept.length - 5))
  }
  expect([await bundle(), bundled]).toEqual([text, 2])
  expect([await bundle(), bundled]).toEqual([text, 2])
})

test('a kept bundle that others may write is not read', async () => {
  const text = await bundle()
  const dir = join(root, 'node_modules/.cache/sitehost')
  for (const name of await readdir(dir)) await chmod(join(dir, name), 0o666)
  expect([await bundle(), bundled]).toEqual([text, 2])
  expect([await bundle(), bundled]).toEqual([text, 2])
})

test('32 are kept, the newest', async () => {
  const dir = join(root, 'node_modules/.cache/sitehost')
  for (let i = 0; i < 40; i++) {
    await write(`node_modules/.cache/sitehost/old-${i}`, '')
    await utimes(join(dir, `old-${i}`), i, i)
  }
  await bundle()
  const kept = await readdir(dir)
  expect([kept.length, kept.includes('old-9'), kept.includes('old-8')]).toEqual([32, true, false])
})

test('where nothing can be kept, they are bundled each time', async () => {
  await write('node_modules/.cache', 'a file in the place of the folder')
  const text = await bundle()
  expect([await bundle(), bundled]).toEqual([text, 2])
})

test('where npm does not say what is installed, they are bundled each time', async () => {
  await rm(join(root, 'node_modules'), { recursive: true })
  await mkdir(join(root, 'node_modules'))
  const text = await bundle()
  expect([await bundle(), bundled]).toEqual([text, 2])
})
