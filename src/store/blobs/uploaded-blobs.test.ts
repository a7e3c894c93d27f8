import { describe, expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import {
  deleteUploadedBlobsBefore,
  findUploadedBlobs,
  forgetUploadedBlobs,
  rememberUploadedBlobs,
  type UploadedBlob,
} from './uploaded-blobs.ts'

const uploaded = (decodedHash: string, size: number): UploadedBlob => ({
  decodedHash,
  blob: { $type: 'blob', ref: { $link: `cid-${size}` }, mimeType: 'text/plain', size },
  coding: 'gzip',
  base64: true,
})

onEachStore('store/uploaded blobs', (db) => {
  const hashesOf = async (did = alice) =>
    (await findUploadedBlobs(db(), did, ['a', 'b', 'c']))
      .map(({ decodedHash }) => decodedHash)
      .sort()

  describe('uploaded blobs', () => {
    test('are found by account and content, as they were uploaded', async () => {
      await rememberUploadedBlobs(db(), alice, [uploaded('a', 1)], 10)
      expect(await findUploadedBlobs(db(), alice, ['a', 'a', 'b'])).toEqual([uploaded('a', 1)])
      expect(await hashesOf(bob)).toEqual([])
    })

    test('the newest upload of the same content counts', async () => {
      await rememberUploadedBlobs(db(), alice, [uploaded('a', 1)], 10)
      await rememberUploadedBlobs(db(), alice, [{ ...uploaded('a', 2), base64: false }], 20)
      expect(await findUploadedBlobs(db(), alice, ['a'])).toEqual([
        { ...uploaded('a', 2), base64: false },
      ])
    })

    test('are forgotten by account and content, or by age', async () => {
      await rememberUploadedBlobs(db(), alice, [uploaded('a', 1)], 10)
      await rememberUploadedBlobs(db(), alice, [uploaded('b', 1)], 20)
      await rememberUploadedBlobs(db(), bob, [uploaded('c', 1)], 20)
      await deleteUploadedBlobsBefore(db(), 20)
      expect([await hashesOf(alice), await hashesOf(bob)]).toEqual([['b'], ['c']])
      await forgetUploadedBlobs(db(), alice, ['b', 'c'], { before: 20 })
      expect([await hashesOf(alice), await hashesOf(bob)]).toEqual([['b'], ['c']])
      await forgetUploadedBlobs(db(), alice, ['b', 'c'])
      expect([await hashesOf(alice), await hashesOf(bob)]).toEqual([[], ['c']])
    })
  })
})
