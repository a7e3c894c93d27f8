import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { BlobRef } from '#site/record/blob-ref.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { rememberBlob } from '#store/blobs/blobs.ts'
import { rememberUploadedBlobs } from '#store/blobs/uploaded-blobs.ts'
import type { Database } from '#store/database/database.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { recordVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import {
  alice,
  bob,
  newVersion,
  newVersionRecord,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import { findReusableBlobs } from './reusable-blobs.ts'

let database: Database
beforeAll(async () => {
  database = await memoryDatabase()
  for (const did of [alice, bob]) await upsertAccount(database.db, { did }, 1)
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

/** Ingest has verified this blob in this form, for a site of this account. */
async function verified(
  cid: string,
  decodedHash: string,
  coding: 'gzip' | 'identity',
  { base64 = false, did = alice }: { base64?: boolean; did?: Did } = {},
): Promise<void> {
  const { db } = database
  const sizes = { storedBytes: 1, decodedBytes: 1 }
  await rememberBlob(db, { cid, coding, base64, hash: hashOf(cid), decodedHash, ...sizes }, 1)
  const site = siteOf(`site-${cid}`, did)
  await recordVersion(db, newVersion({ site, label: `s--${cid}`, snapshot: naming(cid) }), 1)
}

const hashOf = (cid: string): string => new Bun.CryptoHasher('sha256').update(cid).digest('hex')
const naming = (...cids: string[]): string => JSON.stringify({ files: cids.map(hashOf) })

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
    await verified('c3', 'h3', 'gzip', { base64: true })
    const known = records(directory(file('c3', { encoding: 'gzip', base64: true })))
    const found = await findReusableBlobs(alice, known, ['h3'], database.db)
    expect(found.get('h3')).toMatchObject({ coding: 'gzip', base64: true, blob: blob('c3') })
  })

  test('when only a version record of this account has it', async () => {
    await verified('c6', 'h6', 'identity', { did: bob })
    const known = records(directory(file('c6')))
    expect(await cidsOf(known, ['h6'])).toEqual({})
    await recordVersionRecord(database.db, newVersionRecord(1, { snapshot: naming('c6') }), 1)
    expect(await cidsOf(known, ['h6'])).toEqual({ h6: 'c6' })
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

  test('when the account’s records name it, but only another account was found to have it', async () => {
    await verified('c7', 'h7', 'identity', { did: bob })
    const known = records(directory(file('c7')))
    expect(await cidsOf(known, ['h7'])).toEqual({})
    expect(await cidsOf(known, ['h7'], bob)).toEqual({ h7: 'c7' })
  })

  test('when it is compressed and its server changed its type', async () => {
    await verified('c5', 'h5', 'gzip')
    const sniffed = file('c5', { encoding: 'gzip', blob: blob('c5', 'application/gzip') })
    expect(await cidsOf(records(directory(sniffed)), ['h5'])).toEqual({})
  })
})
