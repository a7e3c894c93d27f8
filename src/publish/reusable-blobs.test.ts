import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { BlobRef } from '#site/record/blob-ref.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { Database } from '#store/database/database.ts'
import { rememberBlob } from '#store/sites/blobs.ts'
import { rememberUploadedBlobs } from '#store/sites/uploaded-blobs.ts'
import { memoryDatabase } from '#tests/support/databases.ts'
import { alice, bob } from '#tests/support/sample-rows.ts'
import { findReusableBlobs } from './reusable-blobs.ts'

let database: Database
beforeAll(async () => {
  database = await memoryDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const blob = (cid: string, mimeType = 'application/octet-stream'): BlobRef => ({
  $type: 'blob',
  ref: { $link: cid },
  mimeType,
  size: 10,
})

const file = (cid: string, facts: Partial<FileNode> = {}): FileNode => ({
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: blob(cid),
  ...facts,
})

const directory = (...nodes: (FileNode | Directory)[]): Directory => ({
  $type: 'place.sitehost.fs#directory',
  type: 'directory',
  entries: nodes.map((node, i) => ({ name: `${i}`, node })),
})

const stored = (root: Directory | null) => ({ cid: 'cid', value: {}, root })
const records = (site: Directory | null, part: Directory | null = null): AccountRecords => ({
  sites: new Map([['site', stored(site)]]),
  parts: new Map([['part', stored(part)]]),
  isComplete: true,
  versions: new Map(),
})

/** Ingest has verified this blob in this form. */
const verified = (cid: string, decodedHash: string, coding: 'gzip' | 'identity', base64 = false) =>
  rememberBlob(
    database.db,
    { cid, coding, base64, hash: `stored-${cid}`, storedBytes: 1, decodedHash, decodedBytes: 1 },
    1,
  )

const cidsOf = async (known: AccountRecords, wanted: string[], did = alice) =>
  Object.fromEntries(
    [...(await findReusableBlobs(did, known, wanted, database.db))].map(
      ([hash, { blob: found }]) => [hash, found.ref.$link],
    ),
  )

describe('a blob is used again', () => {
  test('wherever a current record names it', async () => {
    await verified('c1', 'h1', 'identity')
    await verified('c2', 'h2', 'identity')
    const known = records(directory(directory(file('c1'))), directory(file('c2')))
    expect(await cidsOf(known, ['h1', 'h2', 'h3'])).toEqual({ h1: 'c1', h2: 'c2' })
    expect(await cidsOf(known, ['h2'])).toEqual({ h2: 'c2' })
  })

  test('in the form in which somebody stored it', async () => {
    await verified('c3', 'h3', 'gzip', true)
    const known = records(directory(file('c3', { encoding: 'gzip', base64: true })))
    const found = await findReusableBlobs(alice, known, ['h3'], database.db)
    expect(found.get('h3')).toMatchObject({ coding: 'gzip', base64: true, blob: blob('c3') })
  })

  test('when an earlier try of this account has sent it', async () => {
    const sent = { decodedHash: 'h4', blob: blob('c4'), coding: 'identity', base64: false } as const
    await rememberUploadedBlobs(database.db, alice, [sent], 1)
    expect(await cidsOf(records(null), ['h4'])).toEqual({ h4: 'c4' })
    expect(await cidsOf(records(null), ['h4'], bob)).toEqual({})
  })
})

describe('a blob is not used again', () => {
  test('when we never verified what it decodes to', async () => {
    expect(await cidsOf(records(directory(file('unseen'))), ['h1'])).toEqual({})
  })

  test('when it was verified in another form than the record says', async () => {
    const known = records(directory(file('c1', { encoding: 'gzip' })))
    expect(await cidsOf(known, ['h1'])).toEqual({})
  })

  test('when only another account names it', async () => {
    expect(await cidsOf(records(directory()), ['h1'])).toEqual({})
  })

  test('when it is compressed and its server changed its type', async () => {
    await verified('c5', 'h5', 'gzip')
    const sniffed = file('c5', { encoding: 'gzip', blob: blob('c5', 'application/gzip') })
    expect(await cidsOf(records(directory(sniffed)), ['h5'])).toEqual({})
  })
})
