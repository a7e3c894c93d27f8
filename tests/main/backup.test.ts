import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFile, exists, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import { type BackupOptions, backUp } from '#main/backup/back-up.ts'
import { readLastBackup } from '#main/backup/last-backup.ts'
import { readManifest } from '#main/backup/manifest.ts'
import { type RestoreOptions, restore } from '#main/backup/restore.ts'
import { lockDataDir } from '#main/process/data-lock.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { addAdmin } from '#store/accounts/admins.ts'
import { createAdminSession, createBrowserSession } from '#store/accounts/sessions.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { visitorSalt } from '#store/sites/visitors.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { goLive, snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'
import { listOf } from '../support/blob-store-contract.ts'
import { available } from '../support/require.ts'
import { probeTinyDisk, tinyDisk } from '../support/tiny-disk.ts'

let dir: string
let data: string
let folder: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'backup-'))
  data = join(dir, 'data')
  folder = join(dir, 'backup')
  await publish('one', ['first page', 'second page'])
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const never = new AbortController().signal

const backup = (options: Partial<BackupOptions> = {}) =>
  backUp({
    ...{ config: { databaseUrl: undefined, dataDir: data }, folder, version: '1.2.3', keep: 7 },
    ...{ withBlobs: true, prunes: false, signal: never, onProgress: () => undefined },
    ...options,
  })

const bringBack = (options: Partial<RestoreOptions> = {}) =>
  restore({
    config: { databaseUrl: undefined, dataDir: data, secrets: [] },
    ...{ folder, replaces: false, signal: never, onProgress: () => undefined },
    ...options,
  })

describe('a backup', () => {
  test('has what was there, and says so', async () => {
    await writeFile(join(data, 'secret-key'), 'x'.repeat(43))
    const { manifest, blobs } = await backup()
    expect(manifest).toMatchObject({
      ...{ format: 1, version: '1.2.3', accounts: 1, sites: 1, secretKey: 'file' },
      ...{ blobs: { count: 2, bytes: 21 }, database: { kind: 'sqlite' } },
    })
    expect(blobs).toEqual({ count: 2, bytes: 21, added: 2, damaged: 0 })
    expect(await readManifest(folder)).toEqual(manifest)
    expect(await readLastBackup(data)).toBe(manifest.at)

    await rm(data, { recursive: true })
    expect(await bringBack()).toEqual({ manifest, blobs: expect.anything(), aside: [] })
    expect(await pagesOf(['one'])).toEqual({ one: ['first page', 'second page'] })
    expect(await Bun.file(join(data, 'secret-key')).text()).toBe('x'.repeat(43))
    expect(await readLastBackup(data)).toBe(manifest.at)
    expect((await readdir(data)).sort()).toEqual(
      ['blobs', 'last-backup.json', 'lock', 'lock-hosting', 'secret-key', 'sitehost.db'].sort(),
    )
  })

  test('has no salt with which somebody could look for a visitor', async () => {
    await using database = openDatabase({ file: join(data, 'sitehost.db') })
    const salt = await visitorSalt(database.db, 7)
    await backup()
    const [copy] = await Array.fromAsync(new Bun.Glob('database/*').scan({ cwd: folder }))
    const bytes = Buffer.from(await Bun.file(join(folder, String(copy))).bytes())
    expect([bytes.includes('site_visitors'), bytes.includes(salt)]).toEqual([true, false])
  })

  test('is made while somebody writes, and the next one copies only what is new', async () => {
    await backup()
    await using database = openDatabase({ file: join(data, 'sitehost.db') })
    await database.db.transaction().execute(async (transaction) => {
      await goLive(transaction, snapshotOf({}, siteOf('unfinished')))
      expect((await backup()).blobs).toMatchObject({ added: 0 })
      expect(await readManifest(folder)).toMatchObject({ sites: 1 })
    })
    await publish('two', ['third page'])
    expect((await backup()).blobs).toMatchObject({ count: 3, added: 1 })
  })

  test('links on the same file system, and the restored files are of their own', async () => {
    await backup()
    const [hash = ''] = await hashesIn(folder)
    const inodeIn = async (place: string) => (await stat(blobPath(place, hash))).ino
    const inode = await inodeIn(data)
    expect(await inodeIn(folder)).toBe(inode)
    await rm(data, { recursive: true })
    await bringBack()
    expect(await inodeIn(data)).not.toBe(inode)
  })

  test('keeps so many copies of the database', async () => {
    for (let n = 0; n < 4; n++) await backup({ keep: 2 })
    const copies = await readdir(join(folder, 'database'))
    expect(copies).toHaveLength(2)
    const manifest = await readManifest(folder)
    expect(manifest).toMatchObject({ database: { file: copies.sort().at(-1) } })
  })

  test('keeps blobs that the service does not have any more, until somebody prunes', async () => {
    await backup()
    const [hash = ''] = await hashesIn(data)
    await rm(blobPath(data, hash))
    expect((await backup()).blobs).toMatchObject({ count: 2, added: 0 })
    const { manifest, blobs } = await backup({ prunes: true })
    expect(blobs).toMatchObject({ count: 1 })
    expect(manifest.blobs).toEqual({ count: 1, bytes: blobs?.bytes ?? 0 })
    expect(await readManifest(folder)).toEqual(manifest)
    expect(await hashesIn(folder)).toEqual(await hashesIn(data))
  })

  test.each([
    ['missing', () => rm(join(data, 'blobs'), { recursive: true })],
    ['an empty mount point', emptyBlobs],
  ])('whose blobs are %s is not made, and an earlier one keeps its blobs', async (_, lose) => {
    const { manifest } = await backup()
    await lose()
    for (const prunes of [false, true]) {
      await expect(backup({ prunes })).rejects.toThrow('blobs is missing, not mounted')
    }
    expect(await hashesIn(folder)).toHaveLength(2)
    expect(await readManifest(folder)).toEqual(manifest)
    expect(await backup({ withBlobs: false })).toMatchObject({ blobs: null })
  })

  test('that is interrupted prunes nothing', async () => {
    await backup()
    const [hash = ''] = await hashesIn(data)
    await rm(blobPath(data, hash))
    const stop = new AbortController()
    const onProgress = (text: string): void => {
      if (text.startsWith('copying blobs')) stop.abort()
    }
    const torn = backup({ prunes: true, signal: stop.signal, onProgress })
    await expect(torn).rejects.toThrow('aborted')
    expect(await hashesIn(folder)).toContain(hash)
  })

  test('can be made of what was just restored', async () => {
    await backup()
    await rm(data, { recursive: true })
    await bringBack()
    expect((await backup()).blobs).toMatchObject({ count: 2, added: 0 })
  })

  async function emptyBlobs(): Promise<void> {
    await rm(join(data, 'blobs'), { recursive: true })
    await mkdir(join(data, 'blobs'))
  }

  test('can do without blobs', async () => {
    expect(await backup({ withBlobs: false })).toMatchObject({
      manifest: { blobs: null },
      blobs: null,
    })
    await rm(data, { recursive: true })
    expect(await bringBack()).toMatchObject({ blobs: null })
  })

  test.each([
    ['the data folder', () => data],
    ['a folder in it', () => join(data, 'backup')],
  ])('is not made in %s', async (_, place) => {
    await expect(backup({ folder: place() })).rejects.toThrow('is in the data folder')
  })

  test('is not made in the data folder of another service, nor where another one is in progress', async () => {
    await publish('other', ['page'], join(dir, 'other'))
    await expect(backup({ folder: join(dir, 'other') })).rejects.toThrow('is a data folder')
    await backup()
    await using _ = await lockDataDir(folder)
    await expect(backup()).rejects.toThrow('another backup to')
  })
})

describe('a torn backup', () => {
  test('is not restored, and is repeated', async () => {
    await interrupted()
    expect(await readLastBackup(data)).toBeNull()
    const target = { databaseUrl: undefined, dataDir: join(dir, 'target'), secrets: [] }
    await expect(bringBack({ config: target })).rejects.toThrow('has no backup.json')
    expect(await exists(target.dataDir)).toBe(false)
    await backup()
    await bringBack({ config: target })
  })

  test('into a folder with an earlier one leaves that whole', async () => {
    const { manifest } = await backup()
    await publish('two', ['third page'])
    await interrupted()
    expect(await readManifest(folder)).toEqual(manifest)
    await rm(data, { recursive: true })
    expect(await bringBack()).toMatchObject({ manifest })
    expect(await pagesOf(['one'])).toEqual({ one: ['first page', 'second page'] })
  })

  async function interrupted(): Promise<void> {
    const stop = new AbortController()
    const onProgress = (text: string): void => {
      if (text.startsWith('copying blobs')) stop.abort()
    }
    await expect(backup({ signal: stop.signal, onProgress })).rejects.toThrow('aborted')
  }
})

describe('a damaged backup', () => {
  test('blob: is left out and counted', async () => {
    await backup()
    const [hash = ''] = await hashesIn(folder)
    await rm(data, { recursive: true })
    await appendFile(blobPath(folder, hash), '!')
    expect((await bringBack()).blobs).toMatchObject({ count: 1, damaged: 1 })
    expect(await hashesIn(data)).not.toContain(hash)
  })

  test.each(['damaged', 'missing'])('database: %s, and nothing is changed', async (how) => {
    const { manifest } = await backup()
    const copy = join(folder, 'database', manifest.database.file)
    await (how === 'damaged' ? appendFile(copy, '!') : rm(copy))
    await expect(bringBack({ replaces: true })).rejects.toThrow(`is ${how}`)
    expect(await pagesOf(['one'])).toEqual({ one: ['first page', 'second page'] })
  })

  test('backup.json: is named', async () => {
    await backup()
    await writeFile(join(folder, 'backup.json'), '{"format": 2}')
    await expect(bringBack({ replaces: true })).rejects.toThrow('cannot be read')
  })
})

describe('a restore', () => {
  test('refuses a folder with data; with --replace, moves them aside', async () => {
    await backup()
    await publish('two', ['third page'])
    await expect(bringBack()).rejects.toThrow('has data already')
    const { aside } = await bringBack({ replaces: true })
    expect(await pagesOf(['one', 'two'])).toEqual({ one: ['first page', 'second page'], two: null })
    expect(await pagesOf(['two'], aside[0])).toEqual({ two: ['third page'] })
  })

  test('ends the sessions of accounts and administrators', async () => {
    const sessions = async () => {
      await using database = openDatabase({ file: join(data, 'sitehost.db') })
      const { db } = database
      const ofAccounts = await db.selectFrom('browserSessions').select('idHash').execute()
      const ofAdmins = await db.selectFrom('adminSessions').select('idHash').execute()
      return [...ofAccounts, ...ofAdmins].map(({ idHash }) => idHash)
    }
    {
      await using database = openDatabase({ file: join(data, 'sitehost.db') })
      const { db } = database
      const expiresAt = Number.MAX_SAFE_INTEGER
      await createBrowserSession(db, { idHash: 'account', did: alice, expiresAt }, 1)
      await addAdmin(db, { id: 'id', name: 'ruth', passwordHash: 'none', createdAt: 1 })
      await createAdminSession(db, { idHash: 'admin', adminId: 'id', expiresAt }, 1)
    }
    await backup()
    expect(await sessions()).toEqual(['account', 'admin'])
    await bringBack({ replaces: true })
    expect(await sessions()).toEqual([])
  })

  test('refuses a folder that a service uses', async () => {
    await backup()
    await using _ = await lockDataDir(data)
    await expect(bringBack({ replaces: true })).rejects.toThrow('another Sitehost runs')
  })

  test('that was interrupted is repeated', async () => {
    await backup()
    await rm(data, { recursive: true })
    const stop = new AbortController()
    const onProgress = (text: string): void => {
      if (text.startsWith('copying blobs')) stop.abort()
    }
    await expect(bringBack({ signal: stop.signal, onProgress })).rejects.toThrow('aborted')
    expect(await exists(join(data, 'sitehost.db'))).toBe(false)
    await bringBack()
    expect(await pagesOf(['one'])).toEqual({ one: ['first page', 'second page'] })
  })

  test('of the other kind of database is refused', async () => {
    await backup()
    const config = { databaseUrl: 'postgres://nobody@127.0.0.1:9/none', dataDir: data, secrets: [] }
    await expect(bringBack({ config })).rejects.toThrow('the backup is of SQLite')
  })
})

if (await available('backups on a full disk', probeTinyDisk)) {
  test('a full disk: the backup before stays whole, and blobs are copied from one disk to another', async () => {
    await using disk = await tinyDisk()
    const { manifest, blobs } = await backup({ folder: disk.path })
    expect(blobs).toMatchObject({ count: 2, added: 2 })
    await publish('large', [crypto.getRandomValues(Buffer.alloc(3_000_000)).toString('latin1')])
    await expect(backup({ folder: disk.path })).rejects.toMatchObject({ reason: 'full' })
    await rm(data, { recursive: true })
    expect(await bringBack({ folder: disk.path })).toMatchObject({ manifest, blobs: { count: 2 } })
  })

  test('a full disk: a restore changes nothing', async () => {
    await backup()
    await using disk = await tinyDisk()
    await publish('large', [crypto.getRandomValues(Buffer.alloc(3_000_000)).toString('latin1')])
    await backup()
    const config = { databaseUrl: undefined, dataDir: disk.path, secrets: [] }
    await expect(bringBack({ config })).rejects.toMatchObject({ reason: 'full' })
    expect(await exists(join(disk.path, 'sitehost.db'))).toBe(false)
  })
}

/** Makes a site live, as ingest does. */
async function publish(name: string, pages: readonly string[], place = data): Promise<void> {
  const blobs = diskBlobStore({ dir: join(place, 'blobs') })
  await blobs.make()
  await using database = openDatabase({ file: join(place, 'sitehost.db') })
  await migrate(database)
  const files = []
  for (const [n, body] of pages.entries()) {
    const { file, stored } = storedFile({ body })
    await blobs.put(stored)
    files.push([`${n}.html`, file] as const)
  }
  await goLive(database.db, snapshotOf(Object.fromEntries(files), siteOf(name)))
}

/** What the live versions of the sites hold, from the stores; null: no such site. */
async function pagesOf(names: readonly string[], place = data) {
  const blobs = diskBlobStore({ dir: join(place, 'blobs') })
  await using database = openDatabase({ file: join(place, 'sitehost.db') })
  const pages: Record<string, string[] | null> = {}
  for (const name of names) {
    const row = await database.db
      .selectFrom('versions')
      .select('snapshot')
      .where('name', '=', siteOf(name).name)
      .executeTakeFirst()
    const hashes = row === undefined ? null : [...hashesNamedIn(row.snapshot ?? '')]
    pages[name] = hashes && (await Promise.all(hashes.map(textOf)))
  }
  return pages

  async function textOf(hash: string): Promise<string> {
    return (await (await blobs.open(hash))?.text()) ?? 'missing'
  }
}

const hashesIn = (place: string) => listOf(diskBlobStore({ dir: join(place, 'blobs') }))

const blobPath = (place: string, hash: string): string =>
  join(place, 'blobs', hash.slice(0, 2), hash.slice(2))
