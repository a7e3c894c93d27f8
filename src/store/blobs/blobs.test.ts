import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  findBlobs,
  findBlobsOfContents,
  forgetBlobs,
  type KnownBlob,
  rememberBlob,
  rememberBlobs,
} from './blobs.ts'

onEachStore('store/sites/blobs', (db) => {
  const blob = (facts: Partial<KnownBlob> = {}): KnownBlob => ({
    cid: 'cid-1',
    coding: 'gzip',
    base64: false,
    hash: 'hash-1',
    storedBytes: 10,
    decodedHash: 'decoded-1',
    decodedBytes: 20,
    ...facts,
  })

  test('a blob is found by its CID and coding', async () => {
    await rememberBlob(db(), blob(), 1)
    expect(await findBlobs(db(), [{ cid: 'cid-1', coding: 'gzip', base64: false }])).toEqual([
      blob(),
    ])
    expect(await findBlobs(db(), [{ cid: 'cid-1', coding: 'gzip', base64: true }])).toEqual([])
    expect(await findBlobs(db(), [{ cid: 'cid-1', coding: 'identity', base64: false }])).toEqual([])
    expect(await findBlobs(db(), [])).toEqual([])
  })

  test('one CID may have several codings', async () => {
    const readings = [blob(), blob({ coding: 'identity' }), blob({ base64: true })]
    await rememberBlobs(db(), readings, 1)
    const found = await findBlobs(db(), readings)
    expect(found).toHaveLength(3)
    expect(found).toEqual(expect.arrayContaining(readings))
  })

  test('a known blob is replaced, also within one list', async () => {
    await rememberBlob(db(), blob(), 1)
    await rememberBlobs(db(), [blob({ hash: 'hash-2' }), blob({ hash: 'hash-3' })], 2)
    expect(await findBlobs(db(), [blob()])).toEqual([blob({ hash: 'hash-3' })])
  })

  test('thousands are remembered and found in one call', async () => {
    const many = Array.from({ length: 5000 }, (_, n) => blob({ cid: `cid-${n}` }))
    await rememberBlobs(db(), many, 1)
    expect(await findBlobs(db(), many)).toHaveLength(5000)
  })

  test('they are found by their content, unless it has thousands of forms', async () => {
    const forms = (count: number) =>
      Array.from({ length: count }, (_, n) => blob({ cid: `cid-${n}`, decodedHash: 'content' }))
    await rememberBlobs(db(), [...forms(2), blob({ cid: 'other', decodedHash: 'other' })], 1)
    const contents = ['content', 'unknown']
    expect(await findBlobsOfContents(db(), contents)).toEqual(forms(2))
    await rememberBlobs(db(), forms(2_048), 1)
    expect(await findBlobsOfContents(db(), contents)).toBeNull()
  })

  test('blobs whose bytes are gone are forgotten', async () => {
    await rememberBlobs(
      db(),
      [blob(), blob({ cid: 'cid-2' }), blob({ cid: 'cid-3', hash: 'x' })],
      1,
    )
    await forgetBlobs(db(), ['hash-1'])
    const left = await findBlobs(
      db(),
      ['cid-1', 'cid-2', 'cid-3'].map((cid) => blob({ cid })),
    )
    expect(left.map(({ cid }) => cid)).toEqual(['cid-3'])
  })

  test('transactions that remember the same blobs in opposite order do not deadlock', async () => {
    const many = Array.from({ length: 400 }, (_, n) => blob({ cid: `cid-${n}` }))
    const rounds = Array.from({ length: 10 }, (_, n) =>
      rememberBlobs(db(), n % 2 ? many : many.toReversed(), n),
    )
    await Promise.all(rounds)
    expect(await findBlobs(db(), many)).toHaveLength(400)
  })
})
