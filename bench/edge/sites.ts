import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { type DiskBlobStore, diskBlobStore } from '#blobs/disk.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { accountOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'

/** Every site has a page and a small file, the first ones also a file of 1 MB. */
export const sitesWithLargeFile = 20
export const pagePath = '/'
export const smallPath = '/small.png'
export const largePath = '/large.zip'

export interface BenchSites {
  /** Host names of plain sites. */
  readonly hosts: readonly string[]
  /** Of a site like the others with 1000 redirect rules; the last one is for `/old/999`. */
  readonly ruledHost: string
}

/** An account cannot have as many as a bench wants. */
const sitesOfOneMax = 500

interface FilledFolders {
  readonly dataDir: string
  /** Left out where nobody else serves the sites. */
  readonly wwwDir?: string
  readonly baseDomain: string
}

/** Fills a data folder of ours, and a folder per host for the others, with the same bytes. */
export async function fillSites(
  { dataDir, wwwDir, baseDomain }: FilledFolders,
  count: number,
): Promise<BenchSites> {
  await using database = await openIndex(dataDir)
  const blobs = diskBlobStore({ dir: join(dataDir, 'blobs') })
  const image = await store(smallFile('image.png', 0), blobs)
  const images = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`img/${i}.png`, image]))
  const make = async (name: string, i: number, redirects = ''): Promise<string> => {
    const files = filesOf(i)
    const entries: Record<string, SnapshotFile> = { ...images }
    for (const file of files) entries[file.path] = await store(file, blobs)
    const snapshot = snapshotOf(entries, {
      ...siteOf(name, accountOf(Math.floor(i / sitesOfOneMax))),
      redirects,
    })
    const host = `${await goLive(database.db, snapshot)}.${baseDomain}`
    if (wwwDir !== undefined) await writeFolder(join(wwwDir, host), files)
    return host
  }
  const indexes = Array.from({ length: count }, (_, i) => i)
  const ways = { atOnce: 16, signal: new AbortController().signal }
  const hosts = await mapAtOnce(indexes, ways, (i) => make(`site-${i}`, i))
  return { hosts, ruledHost: await make('ruled', count, rules()) }
}

async function openIndex(dataDir: string): Promise<Database> {
  await mkdir(dataDir, { recursive: true })
  const database = openDatabase({ file: join(dataDir, 'sitehost.db') })
  await migrate(database)
  return database
}

interface BenchFile {
  readonly path: string
  readonly contentType: string
  /** As they are stored. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where the stored bytes are gzip: how many they decode to. */
  readonly decodedBytes?: number
}

function filesOf(site: number): BenchFile[] {
  const html = { contentType: 'text/html; charset=utf-8', decodedBytes: pageText.length }
  const zip = {
    contentType: 'application/zip',
    bytes: noise(site < sitesWithLargeFile ? 1_000_000 : 0, site),
  }
  return [
    { path: 'index.html', bytes: distinct(gzippedPage, site), ...html },
    smallFile('small.png', site),
    ...(site < sitesWithLargeFile ? [{ path: 'large.zip', ...zip }] : []),
  ]
}

function smallFile(path: string, seed: number): BenchFile {
  return { path, contentType: 'image/png', bytes: noise(1000, seed) }
}

/** Text that takes 12 kB as gzip. */
const pageText = Buffer.from(Array.from(noise(7750, 1), (byte) => `<p>${byte}</p>`).join(''))
const gzippedPage = new Uint8Array(gzipSync(pageText, { level: 9 }))

/** The same content in other bytes: RFC 1952 §2.3 has four bytes for a time, which decide nothing. */
function distinct(gzip: Uint8Array<ArrayBuffer>, n: number): Uint8Array<ArrayBuffer> {
  const bytes = gzip.slice()
  new DataView(bytes.buffer).setUint32(4, n + 1, true)
  return bytes
}

/** Bytes that do not compress, the same ones for the same seed. */
function noise(length: number, seed: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let state = seed + 1
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

async function store(file: BenchFile, blobs: DiskBlobStore): Promise<SnapshotFile> {
  const { hash, bytes: storedBytes } = await blobs.put(file.bytes)
  const { contentType, decodedBytes } = file
  return {
    cid: rawCid(Buffer.from(hash, 'hex')),
    hash,
    coding: decodedBytes === undefined ? 'identity' : 'gzip',
    storedBytes,
    bytes: decodedBytes ?? storedBytes,
    contentType,
  }
}

async function writeFolder(dir: string, files: readonly BenchFile[]): Promise<void> {
  for (const { path, bytes, decodedBytes } of files) {
    const target = join(dir, path)
    if (decodedBytes === undefined) await Bun.write(target, bytes)
    else await Promise.all([Bun.write(`${target}.gz`, bytes), Bun.write(target, pageText)])
  }
}

function rules(): string {
  return Array.from({ length: 1000 }, (_, i) => `/old/${i} /new/${i} 301`).join('\n')
}
