import { beforeAll, describe, expect, test } from 'bun:test'
import * as Cbor from '@atcute/cbor'
import { P256PrivateKeyExportable, Secp256k1PrivateKeyExportable } from '@atcute/crypto'
import { recordBytesMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import {
  carOf,
  encodeRecord,
  linkOf,
  type Proof,
  type ProofOf,
  proofOf,
} from '#tests/support/fake-pds.ts'
import { alice, bob } from '#tests/support/sample-rows.ts'
import { ProofError, verifyProof } from './verified-record.ts'

const collection = 'place.sitehost.fs'
const blog = encodeRecord({ site: 'blog' })
const rev = '3kaaaaaaaaaa2'

let key: P256PrivateKeyExportable
let honest: ProofOf
beforeAll(async () => {
  key = await P256PrivateKeyExportable.createKeypair()
  const others = Array.from(
    { length: 100 },
    (_, i) => [`${collection}/site${i}`, encodeRecord({ i })] as const,
  )
  const records = new Map([[`${collection}/blog`, blog], ...others])
  honest = { did: alice, key, rev, records, path: `${collection}/blog` }
})

const verify = async (proof: Proof | Uint8Array<ArrayBuffer>, rkey = 'blog', did: Did = alice) =>
  await verifyProof(
    proof instanceof Uint8Array ? proof : await carOf(proof),
    { did, collection, rkey },
    key,
  )

const refused = async (proof: Proof | Uint8Array<ArrayBuffer>, reason: string, rkey?: string) => {
  const verifying = verify(proof, rkey)
  await expect(verifying).rejects.toBeInstanceOf(ProofError)
  await expect(verifying).rejects.toThrow(reason)
}

test('a record that is there', async () => {
  const cid = (await linkOf(blog)).$link
  expect(await verify(await proofOf(honest))).toEqual({
    found: true,
    rev,
    cid,
    record: { site: 'blog' },
    problem: null,
  })
})

test('a record that is not there', async () => {
  const path = `${collection}/nothing`
  expect(await verify(await proofOf({ ...honest, path }), 'nothing')).toEqual({ found: false, rev })
})

test('an empty repository', async () => {
  const proof = await proofOf({ ...honest, records: new Map() })
  expect(await verify(proof)).toEqual({ found: false, rev })
})

test('both kinds of keys', async () => {
  const secp256k1 = await Secp256k1PrivateKeyExportable.createKeypair()
  const car = await carOf(await proofOf({ ...honest, key: secp256k1 }))
  const verified = await verifyProof(car, { did: alice, collection, rkey: 'blog' }, secp256k1)
  expect(verified.found).toBe(true)
})

describe('is refused', () => {
  const cidOf = async (bytes: Uint8Array) => (await linkOf(bytes)).$link

  test('another key', async () => {
    const stranger = await P256PrivateKeyExportable.createKeypair()
    await refused(await proofOf({ ...honest, key: stranger }), 'signature')
  })
  test('the commit of another account', async () => {
    await refused(await proofOf({ ...honest, did: bob }), 'another account')
  })
  test('a proof for another record, for one that exists and for one that does not', async () => {
    const other = await proofOf({ ...honest, path: `${collection}/site1` })
    await refused(other, 'missing')
    // The way to one record says nothing about another that lies elsewhere.
    const { root, blocks } = await proofOf(honest)
    const nodes = [...blocks].slice(0, 2)
    await refused({ root, blocks: new Map(nodes) }, '', 'site99')
  })
  test('any block left out', async () => {
    const { root, blocks } = await proofOf(honest)
    for (const cid of blocks.keys()) {
      await refused({ root, blocks: new Map([...blocks].filter(([at]) => at !== cid)) }, '')
    }
  })
  test('any block with one bit changed', async () => {
    const { root, blocks } = await proofOf(honest)
    for (const [cid, bytes] of blocks) {
      const changed = new Uint8Array(bytes)
      changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
      await refused({ root, blocks: new Map(blocks).set(cid, changed) }, 'does not match its CID')
    }
  })
  test('a record put in place of the one that the tree names', async () => {
    const { root, blocks } = await proofOf(honest)
    const forged = encodeRecord({ site: 'forged' })
    const swapped = new Map(blocks).set(await cidOf(forged), forged)
    swapped.delete(await cidOf(blog))
    await refused({ root, blocks: swapped }, 'the record itself is missing')
  })
  test('a root that is no commit', async () => {
    const { blocks } = await proofOf(honest)
    await refused({ root: await cidOf(blog), blocks }, 'not a commit')
  })
  test('a revision that is none', async () => {
    for (const bad of ['', 'newest', '3kaaaaaaaaaa\0', '3'.repeat(5000)]) {
      await refused(await proofOf({ ...honest, rev: bad }), 'revision')
    }
  })
  test('what is no archive', async () => {
    await refused(new Uint8Array(), '')
    await refused(new Uint8Array(Buffer.from('<html>')), '')
    const car = await carOf(await proofOf(honest))
    for (const length of [1, 20, 60, car.length - 1]) await refused(car.slice(0, length), '')
  })
  test('an archive without a root', async () => {
    const header = Cbor.encode({ version: 1, roots: [] })
    await refused(new Uint8Array([header.length, ...header]), 'no root')
  })
})

describe('a record that cannot be read is found, with its problem', () => {
  const found = async (bytes: Uint8Array<ArrayBuffer>) => {
    const records = new Map([[`${collection}/blog`, bytes]])
    return await verify(await proofOf({ ...honest, records }))
  }
  const nested = (depth: number) =>
    new Uint8Array(Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.from([0x80])]))

  test('1 MiB is read, one byte more is not', async () => {
    const overhead = encodeRecord({ a: 'x'.repeat(100_000) }).length - 100_000
    const record = (bytes: number) => encodeRecord({ a: 'x'.repeat(bytes - overhead) })
    expect(record(recordBytesMax)).toHaveLength(recordBytesMax)
    expect(await found(record(recordBytesMax))).toMatchObject({ found: true, problem: null })
    expect(await found(record(recordBytesMax + 1))).toMatchObject({
      found: true,
      record: null,
      problem: 'the record is larger than 1048576 bytes',
    })
  })
  test('nested 100 000 deep is no danger', async () => {
    const verified = await found(nested(100_000))
    expect(verified.found && verified.problem).toBe(null)
  })
  test('bytes that are no record', async () => {
    for (const bytes of [
      [0xff],
      [0xa1, 0x61],
      [0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0],
      [0x80, 0x80],
      [],
    ]) {
      expect(await found(new Uint8Array(bytes))).toMatchObject({
        found: true,
        problem: 'the record is not DAG-CBOR',
      })
    }
  })
})
