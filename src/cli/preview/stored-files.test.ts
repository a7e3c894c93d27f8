import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { exists, mkdtemp, readdir, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import type { ChosenFile } from '#cli/folder/folder-choice.ts'
import { FolderError } from '#cli/folder/folder-error.ts'
import { listFolder } from '#cli/folder/folder-listing.ts'
import { StoredFiles } from './stored-files.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stored-'))
})
afterAll(() => rm(dir, { recursive: true }))

const { signal } = new AbortController()
const text = 'hello '.repeat(100)
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest()

/** A new folder with these files, and what stores them. */
async function open(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(dir, 'folder-'))
  const write = async (more: Readonly<Record<string, string>>) => {
    for (const [path, body] of Object.entries(more)) await Bun.write(join(folder, path), body)
  }
  await write(files)
  const stored = await StoredFiles.create(dir)
  const list = async () => (await listFolder(folder)).files as readonly ChosenFile[]
  const store = async () => await stored.store(await list(), signal)
  const bytesOf = async (hash = '') => (await (await stored.blobs.open(hash))?.bytes()) ?? null
  return {
    folder,
    write,
    list,
    store,
    stored,
    bytesOf,
    [Symbol.asyncDispose]: () => stored[Symbol.asyncDispose](),
  }
}

describe('a file is stored as publishing stores it', () => {
  const rows: [string, string, 'gzip' | 'identity', string][] = [
    ['a.html', text, 'gzip', 'text/html; charset=utf-8'],
    ['large.txt', text.repeat(1000), 'gzip', 'text/plain; charset=utf-8'],
    ['a.png', text, 'identity', 'image/png'],
    ['short.txt', 'hello hello', 'identity', 'text/plain; charset=utf-8'],
    ['empty.txt', '', 'identity', 'text/plain; charset=utf-8'],
    ['unknown', text, 'gzip', 'application/octet-stream'],
  ]
  test.each(rows)('%s', async (path, body, coding, contentType) => {
    await using folder = await open({ [path]: body })
    const file = (await folder.store()).files.get(path)
    const content = Buffer.from(body)
    const expected = coding === 'gzip' ? gzipSync(content, { level: 9 }) : content
    const bytes = await folder.bytesOf(file?.hash)
    expect(coding === 'gzip' ? gunzipSync(bytes ?? '') : Buffer.from(bytes ?? '')).toEqual(content)
    expect(file).toEqual({
      cid: rawCid(sha256(expected)),
      hash: sha256(expected).toString('hex'),
      coding,
      storedBytes: expected.length,
      bytes: content.length,
      contentType,
    })
  })
})

test('files come in the order in which they were named', async () => {
  await using folder = await open({ c: text.repeat(5_000), a: 'a', b: 'b' })
  expect([...(await folder.store()).files.keys()]).toEqual(['a', 'b', 'c'])
})

test('a version’s bytes stay until the next but one, whatever becomes of the files', async () => {
  await using folder = await open({ page: 'first' })
  const hashOf = async () => (await folder.store()).files.get('page')?.hash
  const first = await hashOf()
  await folder.write({ page: 'other' })
  expect(Buffer.from((await folder.bytesOf(first)) ?? '').toString()).toBe('first')
  const second = await hashOf()
  expect(second).not.toBe(first)
  expect(await folder.bytesOf(first)).not.toBeNull()
  await folder.write({ page: 'third' })
  await hashOf()
  expect(await folder.bytesOf(first)).toBeNull()
  expect(await folder.bytesOf(second)).not.toBeNull()
})

test('only what has changed is read again', async () => {
  await using folder = await open({ same: 'same', other: 'before' })
  const before = await folder.store()
  await folder.write({ other: 'after' })
  const after = await folder.store()
  expect(after.files.get('same')).toBe(before.files.get('same'))
  expect(after.files.get('other')).not.toEqual(before.files.get('other'))
})

test('a file that is gone or a link by now is left out, one that has shrunk is what is left of it', async () => {
  await using folder = await open({ gone: 'gone', shrunk: '0123456789', stays: 'stays' })
  const listed = await folder.list()
  await rm(join(folder.folder, 'gone'))
  await truncate(join(folder.folder, 'shrunk'), 4)
  const { files, leftOut } = await folder.stored.store(listed, signal)
  expect(leftOut).toEqual([{ path: 'gone', reason: 'cannot be read (ENOENT)' }])
  expect(Array.from(files, ([path, { bytes }]) => [path, bytes])).toEqual([
    ['shrunk', 4],
    ['stays', 5],
  ])
})

test('of a file that grows meanwhile no more is read than was listed', async () => {
  await using folder = await open({ log: 'line' })
  const listed = await folder.list()
  await folder.write({ log: 'line and much more' })
  expect((await folder.stored.store(listed, signal)).files.get('log')?.bytes).toBe(4)
})

test('when no copies can be made, that is said', async () => {
  await using folder = await open({ a: 'a' })
  await rm((await ownFolders())[0] ?? '', { recursive: true })
  const stored = folder.store()
  await expect(stored).rejects.toBeInstanceOf(FolderError)
  await expect(stored).rejects.toThrow(/cannot be copied to .*ENOENT/)
})

test('nothing stays behind', async () => {
  {
    await using folder = await open({ a: text, b: 'b' })
    await folder.store()
    expect(await ownFolders()).toHaveLength(1)
  }
  expect(await ownFolders()).toEqual([])
  expect(await exists(dir)).toBe(true)
})

const ownFolders = async (): Promise<string[]> =>
  (await readdir(dir))
    .filter((name) => name.startsWith('sitehost-preview-'))
    .map((name) => join(dir, name))
