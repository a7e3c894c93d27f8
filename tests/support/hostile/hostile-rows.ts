import { gzipSync } from 'node:zlib'
import type { Did } from '#site/site-address.ts'
import { bob } from '#tests/support/database/sample-rows.ts'
import { encodeRecord } from '#tests/support/servers/fake-pds.ts'

// The rows of records of the table of hostile inputs (H01 to H18), as somebody would write them who knows the
// protocol and means harm. What servers lie about, and what the firehose does, is in `tests/hostile` itself.

/** Somebody's repository, on a real server or on one of ours. */
export interface HostileRepo {
  readonly did: Did
  blob(bytes: Uint8Array<ArrayBuffer> | string, mimeType?: string): Promise<object>
  put(path: string, record: object | Uint8Array<ArrayBuffer>): Promise<void>
}

export interface HostileRow {
  readonly id: string
  readonly what: string
  /** What is put at the site's record, once its parts are in the repository. */
  readonly record: (
    repo: HostileRepo,
    site: string,
  ) => Promise<object | Uint8Array<ArrayBuffer>> | object | Uint8Array<ArrayBuffer>
  /** Told to the owner: it is refused. Null: it goes live. */
  readonly problem: string | null
  /** What visitors get of it then, by path. */
  readonly serves?: Readonly<Record<string, string>>
  /** No account server takes such a record. */
  readonly isUnwritable?: true
}

type Node = Record<string, unknown>
type File = (name: string, content?: string, facts?: Node) => Promise<Entry>
interface Entry {
  readonly name: string
  readonly node: Node
}

export const createdAt = '2026-01-01T00:00:00.000Z'

export const manifest = (site: string, entries: readonly object[], facts: Node = {}): object => ({
  $type: 'place.sitehost.fs',
  site,
  root: directory(entries),
  createdAt,
  ...facts,
})

export const directory = (entries: readonly object[]): Node => ({ type: 'directory', entries })

export async function fileIn(
  repo: HostileRepo,
  content: Uint8Array<ArrayBuffer> | string,
  facts: Node = {},
): Promise<Node> {
  return {
    type: 'file',
    blob: await repo.blob(content, 'text/plain'),
    mimeType: 'text/plain',
    ...facts,
  }
}

/** A site of these entries. */
function entries(
  id: string,
  what: string,
  make: (file: File, repo: HostileRepo) => Promise<readonly object[]>,
  expected: Pick<HostileRow, 'problem' | 'serves' | 'isUnwritable'>,
): HostileRow {
  return {
    ...{ id, what },
    record: async (repo, site) => {
      const file: File = async (name, content = `of ${name}`, facts = {}) => ({
        name,
        node: await fileIn(repo, content, facts),
      })
      return manifest(site, await make(file, repo))
    },
    ...expected,
  }
}

/** A file of this name. */
const named = (
  id: string,
  name: string,
  problem: string | null,
  serves: Readonly<Record<string, string>> = {},
): HostileRow =>
  entries(
    id,
    `the name ${JSON.stringify(encodeURI(name)).slice(0, 40)}`,
    async (file) => [await file(name, 'x')],
    { problem, serves },
  )

const badName = (what: string): string => `bad name (${what})`

const names: readonly HostileRow[] = [
  named('H01', '../../../../../tmp/sitehost-pwn', badName('slash')),
  named('H02', '.', badName('dot segment')),
  named('H02', '..', badName('dot segment')),
  named('H02', '', badName('empty segment')),
  named('H02', 'a/b', badName('slash')),
  named('H02', 'a\\b', badName('backslash')),
  named('H03', 'a\0b', badName('control character')),
  named('H03', 'a\nb', badName('control character')),
  named('H03', 'a\x7fb', badName('control character')),
  named('H03', 'a\x85b', badName('control character')),
  forged('H04', 'half a surrogate pair', { name: 'a-?-' }, ['a-?-', 'a\xed\xa0\x80']),
  named('H04', 'a\u202eb', null, { '/a%E2%80%AEb': 'x' }),
  entries(
    'H05',
    'twins by composition and by case',
    async (file) =>
      await Promise.all(
        ['\u00e9', 'e\u0301', 'Index.html', 'index.html'].map((name, n) => file(name, `${n}`)),
      ),
    {
      problem: null,
      serves: { '/%C3%A9': '0', '/e%CC%81': '1', '/Index.html': '2', '/index.html': '3' },
    },
  ),
  named('H06', 'a'.repeat(255), null, { [`/${'a'.repeat(255)}`]: 'x' }),
  named('H06', 'a'.repeat(256), badName('over 255 bytes')),
  named('H07', '%2e%2e%2fx', null, { '/%252e%252e%252fx': 'x' }),
  entries(
    'H09',
    'names of what objects have',
    async (file) => [await file('__proto__', 'one'), await file('constructor', 'two')],
    { problem: null, serves: { '/__proto__': 'one', '/constructor': 'two' } },
  ),
]

/** A record with bytes in it that no encoder writes: those that stand in their place, and themselves. */
function forged(
  id: string,
  what: string,
  { name = 'a', size }: { name?: string; size?: number },
  [stand, bytes]: readonly [string, string],
): HostileRow {
  return {
    ...{ id, what, problem: 'the record is not DAG-CBOR', isUnwritable: true },
    record: async (repo, site) => {
      const { blob, ...node } = await fileIn(repo, 'x')
      const changed = { ...(blob as object), ...(size !== undefined && { size }) }
      const record = encodeRecord(manifest(site, [{ name, node: { ...node, blob: changed } }]))
      const text = Buffer.from(record).toString('latin1')
      if (!text.includes(stand)) throw new TypeError('nothing to replace')
      return new Uint8Array(Buffer.from(text.replace(stand, bytes), 'latin1'))
    },
  }
}

const filled =
  (count: number): HostileRow['record'] =>
  async (repo, site) => {
    const node = await fileIn(repo, 'one of many')
    return manifest(
      site,
      Array.from({ length: count }, (_, i) => ({ name: `${i}`, node })),
    )
  }

const counted = (fileCount: unknown, facts: Pick<HostileRow, 'isUnwritable'> = {}): HostileRow => ({
  id: 'H08',
  what: `a file count of ${JSON.stringify(fileCount)}`,
  record: async (repo, site) =>
    manifest(site, [{ name: 'a', node: await fileIn(repo, 'x') }], { fileCount }),
  problem: 'does not fit its lexicon',
  ...facts,
})

const counts: readonly HostileRow[] = [
  {
    ...{ id: 'H08', what: '500 entries' },
    ...{ record: filled(500), problem: null, serves: { '/499': 'one of many' } },
  },
  {
    ...{ id: 'H08', what: '501 entries' },
    ...{ record: filled(501), problem: 'does not fit its lexicon' },
  },
  counted(1001),
  counted(-1),
  counted(1.5, { isUnwritable: true }),
  counted('5'),
]

const nested = (
  depth: number,
  facts: Pick<HostileRow, 'isUnwritable'> & { problem?: string } = {},
): HostileRow => ({
  id: 'H10',
  what: `${depth} directories in one another`,
  record: (_, site) => {
    let root = directory([])
    for (let i = 0; i < Math.min(depth, 40); i++) root = directory([{ name: 'd', node: root }])
    return depth <= 40
      ? manifest(site, [], { root })
      : deepened(manifest(site, [], { root }), depth)
  },
  problem: 'is more than 32 directories deep',
  ...facts,
})

/** So many directories deep: an encoder that calls itself would not get there. */
function deepened(record: object, depth: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(encodeRecord(record))
  const empty = Buffer.from(encodeRecord(directory([])))
  const holding = Buffer.from(encodeRecord(directory([{ name: 'd', node: directory([]) }])))
  const [at, inner] = [bytes.indexOf(empty), holding.indexOf(empty)]
  const [before, after] = [holding.subarray(0, inner), holding.subarray(inner + empty.length)]
  const copies = (part: Buffer) => Array.from({ length: depth - 40 }, () => part)
  return new Uint8Array(
    Buffer.concat([
      ...[bytes.subarray(0, at), ...copies(before), empty],
      ...[...copies(after), bytes.subarray(at + empty.length)],
    ]),
  )
}

const tooDeep = 'the record has more than 200 levels of nesting'

const sizes: readonly HostileRow[] = [
  nested(33),
  nested(5000, { isUnwritable: true, problem: tooDeep }),
  {
    ...{ id: 'H10', what: '100 000 lists in one another', isUnwritable: true },
    record: () => new Uint8Array([...Buffer.alloc(100_000, 0x81), 0x80]),
    problem: tooDeep,
  },
  {
    ...{ id: 'H10', what: 'lists in one another, each said to be as long as the rest' },
    record: claimingLists,
    ...{ problem: 'the record is not DAG-CBOR', isUnwritable: true },
  },
  {
    ...{ id: 'H10', what: '1 MiB and one byte', isUnwritable: true },
    record: () => new Uint8Array(1024 * 1024 + 1).fill(0x60),
    problem: 'the record is larger than 1048576 bytes',
  },
]

/** 110 kB, for which a decoder that believes them would take gigabytes. */
function claimingLists(): Uint8Array<ArrayBuffer> {
  const heads = Array.from({ length: 2000 }, () => [0x9a, 0, 1, 0x86, 0x9f]).flat()
  return new Uint8Array([...heads, ...new Uint8Array(100_000)])
}

const node = (
  id: string,
  what: string,
  make: (file: Node) => Node,
  problem: string,
  facts: Pick<HostileRow, 'isUnwritable'> = {},
): HostileRow =>
  entries(id, what, async (file) => [{ name: 'a', node: make((await file('a')).node) }], {
    problem,
    ...facts,
  })

const blob = (
  what: string,
  facts: Node,
  problem: string,
  writable: Pick<HostileRow, 'isUnwritable'> = {},
): HostileRow =>
  node(
    'H12',
    what,
    (file) => ({ ...file, blob: { ...(file['blob'] as Node), ...facts } }),
    problem,
    writable,
  )

/** How the bytes of every blob's CID begin, their length first. */
const rawCid = '\x58\x25\0\x01\x55\x12\x20'
const noRawCid = 'has a blob whose CID is not one of raw bytes'
const unwritable = { isUnwritable: true } as const
const noSize = 'has a blob whose size is not 0 to 1000000000 bytes'

const nodes: readonly HostileRow[] = [
  node(
    'H11',
    'a node of an unknown type',
    (file) => ({ ...file, type: 'symlink' }),
    'neither file, directory nor subfs',
  ),
  node('H11', 'a file without a blob', () => ({ type: 'file' }), 'has no blob'),
  node(
    'H11',
    'a file with entries',
    (file) => ({ ...file, entries: [] }),
    'is a file with entries',
  ),
  blob('a size of -1', { size: -1 }, noSize, unwritable),
  blob('a size of 2^53 - 1', { size: 2 ** 53 - 1 }, noSize, unwritable),
  forged('H12', 'a size of 2^53', { size: 2 ** 52 }, ['\x1b\0\x10\0', '\x1b\0\x20\0']),
  blob('no size', { size: undefined }, noSize),
  blob(
    'a CID of DAG-CBOR',
    { ref: { $link: 'bafyreih4g7bvo6hdq2juolev5bfzpbo4ewkxh5mzxwgvkjp3kitc6hqkha' } },
    noRawCid,
    unwritable,
  ),
  forged('H12', 'a CID of SHA-512', {}, [rawCid, '\x58\x45\0\x01\x55\x13\x40'.padEnd(39, 'x')]),
  forged('H12', 'an identity CID', {}, [rawCid, '\x58\x25\0\x01\x55\0\x20']),
]

const zipped = (content: string): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(content))
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const page = 'a page'.repeat(100)

/** A gigabyte of nothing in a megabyte. */
let bomb: Uint8Array<ArrayBuffer> | null = null
export function bombOfOneGibibyte(): Uint8Array<ArrayBuffer> {
  bomb ??= new Uint8Array(gzipSync(Buffer.alloc(1024 * 1024 * 1024)))
  return bomb
}

const stored = (
  id: string,
  what: string,
  bytes: () => Uint8Array<ArrayBuffer> | string,
  facts: Node,
  expected: Pick<HostileRow, 'problem' | 'serves'>,
): HostileRow => ({
  ...{ id, what },
  record: async (repo, site) =>
    manifest(site, [{ name: 'a', node: await fileIn(repo, bytes(), facts) }]),
  ...expected,
})

const gzip = { encoding: 'gzip' }
const base64 = { base64: true }
const noGzip = { problem: '"a" is not the gzip stream that the manifest says' }
const noBase64 = { problem: '"a" is not the base64 that the manifest says' }
const behind = { problem: '"a" has bytes after the end of its gzip stream' }
const tooLarge = { problem: '"a" is larger than 104857600 bytes' }

const contents: readonly HostileRow[] = [
  stored('H14', 'a bomb', bombOfOneGibibyte, gzip, tooLarge),
  stored(
    'H14',
    'a bomb in base64',
    () => text(bombOfOneGibibyte()),
    { ...gzip, ...base64 },
    tooLarge,
  ),
  stored('H14', 'gzip in gzip', () => new Uint8Array(gzipSync(zipped(page))), gzip, {
    problem: null,
    serves: { '/a': Buffer.from(zipped(page)).toString() },
  }),
  stored('H15', 'gzip that is none', () => page, gzip, noGzip),
  stored('H15', 'gzip that breaks off', () => zipped(page).slice(0, -9), gzip, noGzip),
  stored(
    'H15',
    'gzip with bytes behind it',
    () => new Uint8Array([...zipped(page), ...Buffer.from('more')]),
    gzip,
    behind,
  ),
  stored(
    'H15',
    'two gzip members',
    () => new Uint8Array([...zipped(page), ...zipped('more')]),
    gzip,
    behind,
  ),
  stored('H15', 'base64 with a line break', () => `${btoa(page)}\n`, base64, noBase64),
  stored('H15', 'base64 for URLs', () => 'a-_b', base64, noBase64),
  stored('H15', 'base64 without padding', () => 'YQ', base64, noBase64),
]

const subfs = (subject: string, flat = true): Node => ({ type: 'subfs', subject, flat })

interface PartRow {
  readonly what: string
  readonly problem: string
  readonly id?: string
  /** By their keys, once the site's name stands before each. */
  readonly parts: (uri: (key: string) => string, file: Node) => Readonly<Record<string, object[]>>
  readonly root: (uri: (key: string) => string, file: Node, did: Did) => object[]
}

const part = ({ id = 'H18', what, problem, parts, root }: PartRow): HostileRow => ({
  ...{ id, what, problem },
  record: async (repo, site) => {
    const uri = (key: string): string => `at://${repo.did}/place.sitehost.subfs/${site}-${key}`
    const file = await fileIn(repo, 'of a part')
    for (const [key, held] of Object.entries(parts(uri, file))) {
      const record = { $type: 'place.sitehost.subfs', root: directory(held), createdAt }
      await repo.put(`place.sitehost.subfs/${site}-${key}`, record)
    }
    return manifest(site, root(uri, file, repo.did))
  },
})

const noParts = (): Record<string, object[]> => ({})

const parts: readonly HostileRow[] = [
  {
    ...{ id: 'H13', what: 'the same path twice', problem: '"a" is there twice' },
    record: async (repo, site) => {
      const file = await fileIn(repo, 'x')
      return manifest(site, [
        { name: 'a', node: file },
        { name: 'a', node: file },
      ])
    },
  },
  part({
    ...{ id: 'H13', what: 'the same path twice, through a flat part' },
    problem: '"a" is there twice',
    parts: (_, file) => ({ one: [{ name: 'a', node: file }] }),
    root: (uri, file) => [
      { name: 'a', node: file },
      { name: 'b', node: subfs(uri('one')) },
    ],
  }),
  part({
    what: 'two parts that hold each other',
    problem: 'contains itself',
    parts: (uri) => ({
      one: [{ name: 'x', node: subfs(uri('two')) }],
      two: [{ name: 'x', node: subfs(uri('one')) }],
    }),
    root: (uri) => [{ name: 'a', node: subfs(uri('one')) }],
  }),
  part({
    what: 'a part of somebody else',
    problem: 'is not a part of this site’s owner',
    parts: noParts,
    root: () => [{ name: 'a', node: subfs(`at://${bob}/place.sitehost.subfs/x`) }],
  }),
  part({
    what: 'a part in another collection',
    problem: 'is not a part of this site’s owner',
    parts: noParts,
    root: (_, __, did) => [{ name: 'a', node: subfs(`at://${did}/place.sitehost.fs/x`) }],
  }),
  part({
    what: 'a part whose owner is named by handle',
    problem: 'is not a part of this site’s owner',
    parts: noParts,
    root: () => [{ name: 'a', node: subfs('at://alice.test/place.sitehost.subfs/x') }],
  }),
]

export const hostileRows: readonly HostileRow[] = [
  ...names,
  ...counts,
  ...sizes,
  ...nodes,
  ...contents,
  ...parts,
]
