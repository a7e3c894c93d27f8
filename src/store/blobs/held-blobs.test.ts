import { beforeEach, describe, expect, test } from 'bun:test'
import { type BlobKey, blobKeyText } from '#site/record/blob-key.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { recordVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  bob,
  newVersion,
  newVersionRecord,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import { rememberBlob } from './blobs.ts'
import { findHeldBlobs } from './held-blobs.ts'
import { forgetReceivedBefore, rememberReceived } from './received-blobs.ts'

const hashOf = (cid: string) => new Bun.CryptoHasher('sha256').update(cid).digest('hex')
const keyOf = (cid: string, facts: Partial<BlobKey> = {}): BlobKey => ({
  ...{ cid, coding: 'identity', base64: false },
  ...facts,
})

await onEachStore('store/held blobs', (db) => {
  beforeEach(async () => {
    for (const did of [alice, bob]) await upsertAccount(db(), { did }, 1)
    for (const cid of ['a', 'b', 'c']) await remember(keyOf(cid))
  })
  const remember = (key: BlobKey) => {
    const hash = hashOf(key.cid)
    const bytes = { storedBytes: 1, decodedBytes: 1 }
    return rememberBlob(db(), { ...key, hash, decodedHash: hash, ...bytes }, 1)
  }
  const naming = (...cids: string[]) => JSON.stringify(cids.map(hashOf))
  const held = async (keys = ['a', 'b', 'c', 'unknown'].map((cid) => keyOf(cid)), did = alice) =>
    (await findHeldBlobs(db(), siteOf('blog', did), keys)).map(blobKeyText).sort()
  const texts = (...cids: string[]) => cids.map((cid) => blobKeyText(keyOf(cid)))

  describe('of the blobs that are known here, an account has', () => {
    test('none that only others have', async () => {
      const site = siteOf('blog', bob)
      await recordVersion(db(), newVersion({ site, label: 's--bob', snapshot: naming('a') }), 1)
      await rememberReceived(db(), bob, [keyOf('b')], 1)
      expect(await held()).toEqual([])
    })

    test('what its sites and its versions name', async () => {
      await recordVersion(db(), newVersion({ site: siteOf('other'), snapshot: naming('a') }), 1)
      await recordVersionRecord(db(), newVersionRecord(1, { snapshot: naming('b') }), 1)
      expect(await held()).toEqual(texts('a', 'b'))
    })

    test('what it has shown, in the form that it has shown, for a while', async () => {
      await remember(keyOf('a', { coding: 'gzip' }))
      await rememberReceived(db(), alice, [keyOf('a'), keyOf('b')], 1)
      await rememberReceived(db(), alice, [keyOf('b'), keyOf('unknown')], 2)
      expect(await held()).toEqual(texts('a', 'b'))
      expect(await held([keyOf('a', { coding: 'gzip' })])).toEqual([])
      await forgetReceivedBefore(db(), 2)
      expect(await held()).toEqual(texts('b'))
    })
  })
})
