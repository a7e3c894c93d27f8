import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { link, mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FolderError } from './folder-error.ts'
import { listFolder } from './folder-listing.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'listing-'))
})
afterAll(() => rm(dir, { recursive: true }))

/** A new folder with these files, each with its path as its content. */
async function folderOf(...paths: string[]): Promise<string> {
  const folder = await mkdtemp(join(dir, 'folder-'))
  for (const path of paths) await Bun.write(join(folder, path), path)
  return folder
}

/** Adds so many files to a new folder. Links, because some file systems take a millisecond to make a file. */
async function fill(folder: string, files: number): Promise<void> {
  await mkdir(folder)
  await Bun.write(join(folder, '0'), '')
  for (let i = 1; i < files; i++) await link(join(folder, '0'), join(folder, `${i}`))
}

const pathsOf = async (folder: string) => (await listFolder(folder)).files.map(({ path }) => path)
const stateOf = async (folder: string) => (await listFolder(folder)).files[0]?.state

test('all files are listed by the bytes of their paths, with their sizes', async () => {
  const folder = await folderOf('index.html', 'a/c.txt', 'a/b/c.txt', 'a.txt', 'Z', 'ü')
  const { files, leftOut } = await listFolder(folder)
  expect(files.map(({ path, bytes }) => [path, bytes])).toEqual([
    ['Z', 1],
    ['a.txt', 5],
    ['a/b/c.txt', 9],
    ['a/c.txt', 7],
    ['index.html', 10],
    ['ü', 2],
  ])
  expect(leftOut).toEqual([])
})

test('what publishing never takes is left out, a folder as one and unread', async () => {
  const folder = await folderOf('index.html', '.env.local', 'sub/.git/HEAD')
  await fill(join(folder, 'node_modules'), 51)
  const { files, leftOut } = await listFolder(folder, { entriesMax: 50 })
  expect(files.map(({ path }) => path)).toEqual(['index.html'])
  expect(leftOut).toEqual([
    { path: '.env.local', reason: 'may hold secrets' },
    { path: 'node_modules', reason: 'installed packages' },
    { path: 'sub/.git', reason: 'belongs to version control' },
  ])
})

describe('a link', () => {
  const rows: [string, string, string | null][] = [
    ['to a file of the folder is that file', 'sub/file.txt', null],
    ['to a file elsewhere', '../elsewhere.txt', 'a link that leads out of the folder'],
    ['to a folder next to it, whose name begins the same', '../folder', 'a link that leads out of'],
    ['to a folder of the folder', 'sub', 'a link to a folder'],
    ['to the folder itself', '.', 'a link to a folder'],
    ['to what is left out', '.env', 'a link to a skipped file: may hold secrets'],
    ['to nothing', 'missing', 'cannot be read (ENOENT)'],
    ['to itself', 'link', 'cannot be read (ELOOP)'],
  ]
  test.each(rows)('%s', async (_, target, reason) => {
    const inside = join(await mkdtemp(join(dir, 'links-')), 'folder-1')
    await mkdir(inside)
    await Bun.write(join(inside, '../elsewhere.txt'), 'secret')
    await mkdir(join(inside, '../folder'))
    await Bun.write(join(inside, 'sub/file.txt'), 'linked')
    await Bun.write(join(inside, '.env'), 'secret')
    await symlink(target, join(inside, 'link'))
    const { files, leftOut } = await listFolder(inside)
    const listed = files.find(({ path }) => path === 'link')
    if (reason === null) expect(listed).toMatchObject({ bytes: 6, target: 'sub/file.txt' })
    else {
      expect(listed).toBeUndefined()
      expect(leftOut.find(({ path }) => path === 'link')?.reason).toStartWith(reason)
    }
  })

  test('as the folder itself is followed', async () => {
    const folder = await folderOf('index.html')
    await symlink(folder, `${folder}-link`)
    expect(await pathsOf(`${folder}-link`)).toEqual(['index.html'])
  })
})

test('what is neither a file nor a folder is left out and not opened', async () => {
  const folder = await folderOf('index.html')
  await Bun.$`mkfifo ${join(folder, 'pipe')}`.quiet()
  expect((await listFolder(folder)).leftOut).toEqual([
    { path: 'pipe', reason: 'neither a file nor a folder' },
  ])
})

describe('the state of a file is another one after', () => {
  const changes: [string, (file: string) => Promise<unknown>][] = [
    ['other content of the same size', (file) => Bun.write(file, 'other')],
    [
      'another file in its place',
      (file) => Bun.write(`${file}~`, 'first').then(() => rename(`${file}~`, file)),
    ],
  ]
  test.each(changes)('%s', async (_, change) => {
    const folder = await folderOf('first')
    const before = await stateOf(folder)
    expect(await stateOf(folder)).toBe(before)
    await change(join(folder, 'first'))
    expect(await stateOf(folder)).not.toBe(before)
  })
})

describe('what cannot be listed says why', () => {
  const rows: [string, string, RegExp][] = [
    ['no such folder', 'missing', /^There is no folder .*missing\.$/],
    ['a file', 'index.html', /index\.html is not a folder\.$/],
    ['something below a file', 'index.html/x', /index\.html\/x is not a folder\.$/],
  ]
  test.each(rows)('%s', async (_, path, message) => {
    const listed = listFolder(join(await folderOf('index.html'), path))
    await expect(listed).rejects.toBeInstanceOf(FolderError)
    await expect(listed).rejects.toThrow(message)
  })
})

test('as many files and folders as an upload may have are listed, one more is nobody’s site', async () => {
  const folder = await folderOf()
  await fill(join(folder, 'sub'), 49)
  const limit = { entriesMax: 50 }
  expect((await listFolder(folder, limit)).files).toHaveLength(49)
  await Bun.write(join(folder, 'one-more'), '')
  await expect(listFolder(folder, limit)).rejects.toThrow(/over 50 files and folders/)
})
