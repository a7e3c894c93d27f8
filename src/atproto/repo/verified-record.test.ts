import { beforeAll, describe, expect, test } from 'bun:test'
import * as Cbor from '@atcute/cbor'
import * as Cid from '@atcute/cid'
import { P256PrivateKeyExportable, Secp256k1PrivateKeyExportable } from '@atcute/crypto'
import { recordBytesMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import {
  carOf,
  encodeRecord,
  linkOf,
  type Proof,
  type ProofOf,
  proofOf,
} from '#tests/support/servers/fake-pds.ts'
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

const verify = async (
  proof: Proof | Uint8Array<ArrayBuffer>,
  rkey = 'blog',
  did: Did = alice,
  now?: () => number,
) =>
  (
    await verifyProof(
      proof instanceof Uint8Array ? proof : await carOf(proof),
      { did, collection, rkey },
      key,
      now,
    )
  ).answer

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
    bytes: blog.length,
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
  expect(verified.answer.found).toBe(true)
})

describe('rejects', () => {
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
    await refused({ root, blocks: swapped }, 'missing block')
  })
  test('a root that is no commit', async () => {
    const { blocks } = await proofOf(honest)
    await refused({ root: await cidOf(blog), blocks }, 'not a commit')
  })
  test('an invalid revision', async () => {
    for (const bad of ['', 'newest', '3kaaaaaaaaaa\0', '3'.repeat(5000)]) {
      await refused(await proofOf({ ...honest, rev: bad }), 'revision')
    }
  })
  test('a revision of more than five minutes to come', async () => {
    // 2023-02-13T19:16:43.532Z
    const at = Date.parse('2023-02-13T19:16:43.532Z')
    const proof = await proofOf({ ...honest, rev: '3jonas22ir222' })
    const seenAt = (now: number) => verify(proof, 'blog', alice, () => now)
    expect((await seenAt(at - 5 * 60_000 + 1)).found).toBe(true)
    await expect(seenAt(at - 5 * 60_000 - 1)).rejects.toThrow('dated in the future')
    await refused(await proofOf({ ...honest, rev: 'bzzzzzzzzzzzz' }), 'dated in the future')
  })
  test('bytes that are no archive', async () => {
    await refused(new Uint8Array(), '')
    await refused(new Uint8Array(Buffer.from('<html>')), '')
    const car = await carOf(await proofOf(honest))
    for (const length of [1, 20, 60, car.length - 1]) await refused(car.slice(0, length), '')
  })
  test('an archive without a root', async () => {
    const header = Cbor.encode({ version: 1, roots: [] })
    await refused(new Uint8Array([header.length, ...header]), 'no root')
  })
  test('an archive with a long header, or of many blocks', async () => {
    const roots = Array.from({ length: 3 }, () => cidLink({ $link: link }))
    const header = Cbor.encode({ version: 1, roots })
    await refused(new Uint8Array([header.length, 1, ...header]), 'the header is too long')
    const { root, blocks } = await proofOf(honest)
    const rest = 256 - blocks.size
    for (let i = 0; i < rest; i++) blocks.set(await cidOf(encodeRecord({ i })), encodeRecord({ i }))
    expect((await verify({ root, blocks })).found).toBe(true)
    blocks.set(await cidOf(encodeRecord({})), encodeRecord({}))
    await refused({ root, blocks }, 'too many blocks')
  })
  test('a tree of lists with long claimed lengths, quickly', async () => {
    const node = claimingLists()
    const proof = await commitOf(await linkOf(node))
    proof.blocks.set(await cidOf(node), node)
    await refused(proof, 'missing block')
  })
})

const link = 'bafyreih4g7bvo6hdq2juolev5bfzpbo4ewkxh5mzxwgvkjp3kitc6hqkha'

/** 110 kB, for which a decoder that believes them would take gigabytes. */
function claimingLists(): Uint8Array<ArrayBuffer> {
  const heads = Array.from({ length: 2000 }, () => [0x9a, 0, 1, 0x86, 0x9f]).flat()
  return new Uint8Array([...heads, ...new Uint8Array(100_000)])
}

/** Her commit of a tree with this root. */
async function commitOf(data: { $link: string }): Promise<Proof> {
  const unsigned = { version: 3, did: alice, rev, prev: null, data: cidLink(data) }
  const sig = Cbor.toBytes(await key.sign(Cbor.encode(unsigned)))
  const commit = Cbor.encode({ ...unsigned, sig })
  const root = (await linkOf(commit)).$link
  return { root, blocks: new Map([[root, commit]]) }
}

const cidLink = ({ $link }: { $link: string }) => Cid.toCidLink(Cid.fromString($link))

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
  test('nested 100 000 deep', async () => {
    const verified = await found(nested(100_000))
    expect(verified.found && verified.problem).toBe(
      'the record has more than 200 levels of nesting',
    )
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
  test('nested lists with long claimed lengths take no memory', async () => {
    expect(await found(claimingLists())).toMatchObject({ problem: 'the record is not DAG-CBOR' })
  })
  test('more values than anybody has a use for', async () => {
    const many = encodeRecord(Array.from({ length: 200_000 }, () => 0))
    expect(await found(many)).toMatchObject({
      problem: 'the record has more than 200000 values',
    })
  })
})
