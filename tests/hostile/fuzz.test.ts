import { beforeAll, describe, expect, test } from 'bun:test'
import * as Cbor from '@atcute/cbor'
import * as Cid from '@atcute/cid'
import { P256PrivateKeyExportable, type PublicKey } from '@atcute/crypto'
import fc from 'fast-check'
import type { FirehoseFormat } from '#atproto/firehose/firehose-format.ts'
import { subscribeRepos } from '#atproto/firehose/firehose-repos.ts'
import { jetstream } from '#atproto/firehose/jetstream.ts'
import { Identities, IdentityError } from '#atproto/identity/identity.ts'
import { decodeCbor } from '#atproto/repo/bounded-cbor.ts'
import {
  ProofError,
  RecordUnavailableError,
  readVerifiedRecord,
  verifyProof,
} from '#atproto/repo/verified-record.ts'
import { expandTree } from '#site/record/expand.ts'
import { type Directory, parseManifest } from '#site/record/manifest.ts'
import { parsePart, partUri } from '#site/record/part.ts'
import { parseSettings } from '#site/record/settings.ts'
import { parseHeaderRules } from '#site/rules/header-rules.ts'
import { parseRedirects } from '#site/rules/redirects-file.ts'
import { alice, nameOf } from '#tests/support/database/sample-rows.ts'
import { type FuzzReport, fuzz, fuzzAsync, mutated } from '#tests/support/hostile/fuzz.ts'
import { carOf, encodeRecord, linkOf, proofOf } from '#tests/support/servers/fake-pds.ts'
import {
  jetstreamAccount,
  jetstreamCommit,
  jetstreamIdentity,
} from '#tests/support/servers/jetstream-server.ts'
import { reposCommit, reposEvent } from '#tests/support/servers/repos-server.ts'

// Whatever strangers write is taken: parsers answer, none throws what it has not said that it throws, and
// none is busy for longer than 50 ms. Five hundred inputs each, or `FUZZ_RUNS=100000`.

const patienceMs = 3_600_000
const fuzzed = (what: string, run: () => FuzzReport | Promise<FuzzReport>): void =>
  test(
    what,
    async () => {
      const { runs, slowestMs } = await run()
      process.stderr.write(`${what}: ${runs} inputs, the slowest ${slowestMs.toFixed(1)} ms\n`)
    },
    patienceMs,
  )

const link = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const junk = fc.oneof(
  fc.anything({ withBigInt: true, withMap: true, withTypedArray: true, withNullPrototype: true }),
  fc.constantFrom('file', 'directory', 'subfs', 'blob', link, '__proto__', 0, -1, 2 ** 53, null),
)
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 20 }))

/** Mostly what it should be, and sometimes anything. */
const rather = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | unknown> =>
  fc.oneof({ arbitrary: value, weight: 9 }, { arbitrary: junk, weight: 1 })

const blob = fc.record(
  {
    $type: rather(fc.constant('blob')),
    ref: rather(fc.constant({ $link: link })),
    mimeType: rather(text),
    size: rather(fc.nat()),
  },
  { requiredKeys: ['$type', 'ref'] },
)
const subject = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map((key) => partUri(alice, key)),
  text,
)
const { directory } = fc.letrec<{ directory: unknown; node: unknown }>((tie) => ({
  directory: fc.record({
    type: rather(fc.constant('directory')),
    entries: rather(
      fc.array(fc.record({ name: rather(text), node: tie('node') }), { maxLength: 8 }),
    ),
  }),
  node: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.record(
      {
        type: rather(fc.constant('file')),
        blob: rather(blob),
        mimeType: rather(text),
        encoding: rather(fc.constant('gzip')),
        base64: rather(fc.boolean()),
      },
      { requiredKeys: ['type', 'blob'] },
    ),
    fc.record({ type: fc.constant('subfs'), subject: rather(subject), flat: rather(fc.boolean()) }),
    tie('directory'),
  ),
}))
/** Large as one record may be, of one shape. */
const large = fc
  .record({
    entries: fc.nat(5000),
    folders: fc.nat(12),
    depth: fc.oneof(fc.nat(32), fc.nat(3000)),
    name: text,
    isList: fc.boolean(),
  })
  .map(({ entries, folders, depth, name, isList }) => {
    const file = {
      type: 'file',
      blob: { $type: 'blob', ref: { $link: link }, size: 1, mimeType: '' },
    }
    const many = Array.from({ length: entries }, (_, i) => ({ name: `${name}${i}`, node: file }))
    const few = { type: 'directory', entries: many.slice(0, 499) }
    const wide = Array.from({ length: folders }, (_, i) => ({ name: `${i}`, node: few }))
    let root: unknown = { type: 'directory', entries: folders === 0 ? many : wide }
    for (let i = 0; i < depth; i++) {
      root = isList ? [root] : { type: 'directory', entries: [{ name, node: root }] }
    }
    return root
  })
const record = fc.record(
  {
    $type: rather(fc.constant('place.sitehost.fs')),
    site: rather(fc.constant('blog')),
    root: fc.oneof(
      { arbitrary: directory, weight: 8 },
      { arbitrary: large, weight: 1 },
      { arbitrary: junk, weight: 1 },
    ),
    fileCount: rather(fc.nat()),
    createdAt: rather(fc.constantFrom('2026-01-01T00:00:00.000Z', '0001-01-01T00:00:00Z')),
  },
  { requiredKeys: ['root', 'site', 'createdAt'] },
)
/** Of the longest names, as many entries as a record may have. */
const widest = {
  $type: 'place.sitehost.subfs',
  site: 'blog',
  createdAt: '2026-01-01T00:00:00.000Z',
  root: {
    type: 'directory',
    entries: Array.from({ length: 6 }, (_, folder) => ({
      name: `${folder}`,
      node: {
        type: 'directory',
        entries: Array.from({ length: 490 }, (_, file) => ({
          name: `${'ä'.repeat(120)}${file}`,
          node: {
            type: 'file',
            blob: { $type: 'blob', ref: { $link: link }, size: 1, mimeType: '' },
          },
        })),
      },
    })),
  },
}
/** None if it cannot be parsed. */
const rootsOf = (record: unknown): Directory[] => {
  const parsed = parsePart(record)
  return parsed.ok ? [parsed.part.root] : []
}

describe('records', () => {
  fuzzed('manifests', () =>
    fuzz(fc.oneof(record, junk), (input) => {
      const parsed = parseManifest(input, nameOf('blog'))
      if (!parsed.ok) expect(parsed.problems.length).toBeGreaterThan(0)
      else expandTree(parsed.manifest.root, alice)
    }),
  )
  // Each part is parsed in a turn of the event loop of its own, and the tree is expanded in another.
  const part = record.map((fields) => ({ ...fields, $type: 'place.sitehost.subfs' }))
  fuzzed('parts', () => fuzz(part, (input) => void parsePart(input), [widest]))
  fuzzed('trees of parts', () =>
    fuzz(
      fc.array(part.map(rootsOf), { minLength: 1, maxLength: 3 }),
      (roots) => {
        const uris = roots.flat().map((root, i) => [partUri(alice, 'abc'.charAt(i)), root] as const)
        const parts = new Map(uris)
        for (const root of parts.values()) expandTree(root, alice, parts)
      },
      [Array.from({ length: 3 }, () => rootsOf(widest))],
    ),
  )
  fuzzed('settings', () => fuzz(fc.oneof(settings, junk), (input) => void parseSettings(input)))
  fuzzed('rules', () =>
    fuzz(ruleText, (input) => {
      parseRedirects(input)
      parseHeaderRules(input, [])
    }),
  )
})

const settings = fc.record(
  {
    indexFiles: rather(fc.array(text)),
    cleanUrls: rather(fc.boolean()),
    trailingSlash: rather(fc.constantFrom('auto', 'always', 'never')),
    directoryListing: rather(fc.boolean()),
    spaMode: rather(text),
    custom404: rather(text),
    headers: rather(
      fc.array(fc.record({ name: rather(text), value: rather(text), path: rather(text) })),
    ),
  },
  { requiredKeys: [] },
)
const word = fc.oneof(
  fc.constantFrom('/*', '/:a/:a', ':splat', '200!', '301', 'Country=de', '/a*b*c', 'https://x/:a'),
  text,
)
/** JSON whose length says nothing of what it takes, the n-th time around. */
const valueUnits: readonly ((n: number) => string)[] = [
  () => '[]',
  () => '{}',
  () => '""',
  () => '[[{"a":[0]}]]',
  (n) => `{"${n.toString(36)}":0}`,
  () => '"\\"[,"',
]
const valuesOf = (unit: (n: number) => string, count: number): string =>
  `[${Array.from({ length: count }, (_, n) => unit(n)).join(',')}]`
const manyValues = fc
  .tuple(fc.constantFrom(...valueUnits), fc.nat(30_000))
  .map(([unit, count]) => valuesOf(unit, count))
/** As many as there is room for, or more. */
const mostValues = valueUnits.map((unit) =>
  valuesOf(unit, Math.floor(3_900_000 / (unit(99_999).length + 1))),
)
const eventWith = (record: string): string =>
  String(jetstreamCommit(5, alice, 'place.sitehost.fs/blog').frame).replace(
    /"record":\{.*?\}/,
    () => `"record":{"a":${record}}`,
  )

const ruleText = fc
  .array(
    fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
    { maxLength: 40 },
  )
  .chain((lines) =>
    fc.nat(60).map((n) =>
      Array.from({ length: n }, () => lines)
        .flat()
        .join('\n'),
    ),
  )

describe('bytes', () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map(withoutFloats)
  const encoded = value.map((each) => Cbor.encode(each))
  const random = fc.oneof(
    fc.uint8Array({ maxLength: 2000 }),
    mutated(encoded),
    // A head, and another, and so on: lists and maps of whatever length.
    fc
      .array(
        fc.constantFrom(0x81, 0x9a, 0x9b, 0xa1, 0xba, 0x5a, 0x7a, 0xd8, 0x60, 0x00, 0x01, 0xff),
      )
      .chain((unit) => fc.nat(60_000).map((n) => repeated(unit, n))),
  )

  fuzzed('CBOR', () =>
    fuzz(random, (bytes) => {
      try {
        decodeCbor(bytes)
      } catch (error) {
        expect((error as Error).name).toBe('CborError')
      }
    }),
  )

  describe('proofs', () => {
    const path = 'place.sitehost.fs/blog'
    let key: P256PrivateKeyExportable
    let proofs: Uint8Array[]
    beforeAll(async () => {
      key = await P256PrivateKeyExportable.createKeypair()
      const paths = Array.from({ length: 60 }, (_, i) => `place.sitehost.fs/${i}`)
      const records = new Map([path, ...paths].map((at) => [at, encodeRecord({ at })] as const))
      const facts = { did: alice, key, rev: '3kaaaaaaaaaa2' }
      proofs = [
        await carOf(await proofOf({ ...facts, records, path })),
        await carOf(await proofOf({ ...facts, records, path: 'place.sitehost.fs/none' })),
        await carOf(await proofOf({ ...facts, records: new Map(), path })),
      ]
    })
    const verify = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
      try {
        const did = alice
        await verifyProof(bytes, { did, collection: 'place.sitehost.fs', rkey: 'blog' }, key)
      } catch (error) {
        expect(error).toBeInstanceOf(ProofError)
      }
    }
    fuzzed('archives', () => {
      const valid = fc.nat(2).map((i) => proofs[i] ?? new Uint8Array())
      return fuzzAsync(fc.oneof(mutated(valid), mutated(valid), random), verify)
    })
    // Past the hashes: what the owner's own key signs, but no repository is like.
    fuzzed('archives whose hashes and signature are right', () =>
      fuzzAsync(signed, async (parts) => verify(await signedArchive(key, parts))),
    )
    const cid = fc.constantFrom(link, 'bafyreih4g7bvo6hdq2juolev5bfzpbo4ewkxh5mzxwgvkjp3kitc6hqkha')
    const treeKey = fc.oneof(fc.constantFrom(path, 'place.sitehost.fs/a', 'a'), text)
    // The encoder takes no objects without a prototype.
    const plain = { noNullPrototype: true }
    const entry = fc.record(
      {
        p: fc.oneof(fc.constant(0), fc.nat(30), fc.integer()),
        k: treeKey.map((each) => Cbor.toBytes(Buffer.from(each))),
        v: cid.map(cidLink),
        t: fc.option(cid.map(cidLink)),
      },
      plain,
    )
    const node = fc
      .record({ l: fc.option(cid.map(cidLink)), e: fc.array(entry, { maxLength: 2000 }) }, plain)
      .map((each) => Cbor.encode(each))
    const signed: fc.Arbitrary<SignedParts> = fc.record({
      record: random,
      node: fc.option(fc.oneof(node, node, random)),
      commit: fc.option(random, { freq: 9 }),
      rest: fc.array(random, { maxLength: 4 }),
    })
  })

  const collections = new Set(['place.sitehost.fs', 'place.sitehost.subfs'])
  const read = (format: FirehoseFormat) => (data: unknown) => {
    expect(['step', 'problem', 'future-cursor', 'outdated-cursor']).toContain(
      format.read(data, collections).kind,
    )
  }
  const paths = fc.array(
    rather(
      fc.oneof(
        text,
        text.map((key) => `place.sitehost.fs/${key}`),
      ),
    ),
  )
  const frames = fc.oneof(
    paths.map((each) => reposCommit(5, alice, ...each.map(encodableOrNull)).frame as Uint8Array),
    fc
      .tuple(fc.constantFrom('#account', '#identity', '#sync', '#info', '#commit', ''), value)
      .map(([type, facts]) => reposEvent(type, 5, Object(facts)).frame as Uint8Array),
    fc.tuple(encoded, encoded).map((both) => new Uint8Array(Buffer.concat(both))),
  )
  fuzzed('frames of subscribeRepos', () =>
    fuzz(fc.oneof(mutated(frames), frames, random), read(subscribeRepos)),
  )

  const events = fc.oneof(
    text.map((key) => jetstreamCommit(5, alice, `place.sitehost.fs/${key}`).frame),
    fc.jsonValue().map((facts) => jetstreamAccount(5, alice, Object(facts)).frame),
    fc.constant(jetstreamIdentity(5, alice).frame),
    fc.json({ maxDepth: 6 }),
    fc.nat(100_000).map((n) => '[{"a":'.repeat(n)),
    manyValues.map(eventWith),
  )
  const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
  fuzzed('events of Jetstream', () =>
    fuzz(
      fc.oneof(
        events,
        mutated(events.map((each) => Buffer.from(each as string))).map(asText),
        random.map(asText),
        junk,
      ),
      read(jetstream),
      mostValues.map(eventWith),
    ),
  )

  const signingKey = {} as PublicKey
  const keys = { signingKey, signingMultikey: 'zKey' }
  const identity = { did: alice, claimedHandle: null, pds: 'https://pds.example', ...keys }
  fuzzed('errors in place of a proof', () =>
    fuzzAsync(
      fc.oneof(
        fc.json({ maxDepth: 6 }),
        manyValues.map((values) => `{"error":"X","a":${values}}`),
        random,
      ),
      async (body) => {
        const fetch = async () => new Response(body, { status: 400 })
        const reading = readVerifiedRecord({ collection: 'a.b.c', rkey: 'blog' }, identity, fetch)
        await expect(reading).rejects.toBeInstanceOf(RecordUnavailableError)
      },
      mostValues.map((values) => `{"error":"X","a":${values.slice(0, 2_000_000)}`),
    ),
  )
})

describe('documents', () => {
  const key = 'zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo'
  const document = fc.record(
    {
      id: rather(fc.constant(alice)),
      alsoKnownAs: rather(fc.array(rather(fc.constantFrom('at://a.example', 'at://', 'at://x/y')))),
      verificationMethod: rather(
        fc.array(
          fc.record({
            id: rather(fc.constantFrom(`${alice}#atproto`, '#atproto')),
            type: rather(fc.constantFrom('Multikey', 'EcdsaSecp256r1VerificationKey2019')),
            controller: rather(fc.constant(alice)),
            publicKeyMultibase: rather(fc.oneof(fc.constant(key), text)),
          }),
        ),
      ),
      service: rather(
        fc.array(
          fc.record({
            id: rather(fc.constant('#atproto_pds')),
            type: rather(fc.constant('AtprotoPersonalDataServer')),
            serviceEndpoint: rather(
              fc.oneof(fc.constant('https://pds.example'), text, fc.webUrl()),
            ),
          }),
        ),
      ),
    },
    { requiredKeys: ['id'] },
  )
  const body = fc.oneof(
    fc.oneof(document, document, junk).map(jsonOf),
    mutated(document.map((each) => Buffer.from(jsonOf(each)))).map((each) => each),
    fc.constantFrom('[', '{"id":').chain((unit) => fc.nat(10_000).map((n) => unit.repeat(n))),
  )
  fuzzed('DID documents', () =>
    fuzzAsync(body, async (answer) => {
      const fetch = async () => new Response(answer as Uint8Array<ArrayBuffer>)
      const identities = new Identities({
        ...{ fetch, plcUrl: 'https://plc.example', handleResolverUrl: 'https://pds.example' },
      })
      try {
        const { pds } = await identities.resolve(alice)
        expect(new URL(pds).origin).toBe(pds)
      } catch (error) {
        expect(error).toBeInstanceOf(IdentityError)
      }
    }),
  )
})

/** JSON of whatever, as far as there is such. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** What stands in place of the blocks of a proof; null: what is right. */
interface SignedParts {
  readonly record: Uint8Array
  readonly node: Uint8Array | null
  readonly commit: Uint8Array | null
  readonly rest: readonly Uint8Array[]
}

async function signedArchive(
  key: P256PrivateKeyExportable,
  { record, node, commit, rest }: SignedParts,
): Promise<Uint8Array<ArrayBuffer>> {
  const v = cidLink((await linkOf(record)).$link)
  const k = Cbor.toBytes(Buffer.from('place.sitehost.fs/blog'))
  const tree = node ?? Cbor.encode({ l: null, e: [{ p: 0, k, v, t: null }] })
  const data = cidLink((await linkOf(tree)).$link)
  const unsigned = { version: 3, did: alice, rev: '3kaaaaaaaaaa2', prev: null, data }
  const sig = Cbor.toBytes(await key.sign(Cbor.encode(unsigned)))
  const root = commit ?? Cbor.encode({ ...unsigned, sig })
  const blocks = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const bytes of [root, tree, record, ...rest]) {
    blocks.set((await linkOf(bytes)).$link, new Uint8Array(bytes))
  }
  return await carOf({ root: (await linkOf(root)).$link, blocks })
}

const cidLink = ($link: string) => Cid.toCidLink(Cid.fromString($link))

const repeated = (unit: readonly number[], count: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Array.from({ length: Math.min(count, 120_000 / (unit.length + 1)) }, () => unit).flat(),
  )

/** The protocol has none. */
function withoutFloats(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'number' ? Math.trunc(each % 1e15) : each,
  )
}

/** A path of a commit may be anything that can be sent. */
function encodableOrNull(value: unknown): unknown {
  try {
    Cbor.encode(value)
    return value
  } catch {
    return null
  }
}
