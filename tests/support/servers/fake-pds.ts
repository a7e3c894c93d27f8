import * as Car from '@atcute/car'
import * as Cbor from '@atcute/cbor'
import * as Cid from '@atcute/cid'
import { P256PrivateKeyExportable, type PrivateKeyExportable } from '@atcute/crypto'
import { findRpathAndBuildProof, MemoryBlockStore, NodeStore, NodeWrangler } from '@atcute/mst'
import type { Did } from '#site/site-address.ts'

// An account's server and the PLC directory in one, in this process: small enough to be made to lie.

/** A signed tree of records, with what proves one of them. */
export interface Proof {
  root: string
  /** CID → bytes: the commit, the nodes on the way, and the record if there is one. */
  blocks: Map<string, Uint8Array<ArrayBuffer>>
}

export interface ProofOf {
  readonly did: Did
  readonly key: PrivateKeyExportable
  readonly rev: string
  /** Every record of the repository, encoded, by `collection/rkey`. */
  readonly records: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  /** The record that is proven, or proven to be absent. */
  readonly path: string
}

/** Every block of the repository, but for its commit. */
export async function blocksOf(
  records: ProofOf['records'],
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const { store } = await treeOf(records)
  const ofRecords = [...records.values()].map(async (bytes) => {
    return [(await linkOf(bytes)).$link, bytes] as const
  })
  return new Map([...store.blocks, ...(await Promise.all(ofRecords))])
}

export async function proofOf({ did, key, rev, records, path }: ProofOf): Promise<Proof> {
  const { store, nodes, data } = await treeOf(records)
  const [found, onTheWay] = await findRpathAndBuildProof(nodes, data, path)

  const unsigned = { version: 3, did, rev, prev: null, data: { $link: data } }
  const sig = await key.sign(Cbor.encode(encodable(unsigned)))
  const commit = Cbor.encode(encodable({ ...unsigned, sig: Cbor.toBytes(sig) }))
  const root = (await linkOf(commit)).$link
  const blocks = new Map([[root, commit]])
  // Copies: a test may damage them.
  for (const cid of onTheWay) blocks.set(cid, new Uint8Array((await store.get(cid)) ?? []))
  const record = records.get(path)
  if (found !== null && record !== undefined) blocks.set(found.$link, record)
  return { root, blocks }
}

interface Tree {
  /** What it was built of. */
  readonly of: ReadonlyMap<string, Uint8Array>
  readonly store: MemoryBlockStore
  readonly nodes: NodeStore
  /** Its root. */
  readonly data: string
}

const trees = new WeakMap<ReadonlyMap<string, Uint8Array>, Tree>()

/** Built when the records have changed, not for each proof. */
async function treeOf(records: ProofOf['records']): Promise<Tree> {
  const known = trees.get(records)
  if (known !== undefined && isSame(known.of, records)) return known
  const of = new Map(records)
  const store = new MemoryBlockStore()
  const nodes = new NodeStore(store)
  const wrangler = new NodeWrangler(nodes)
  let data: string | null = null
  for (const [at, bytes] of of) data = await wrangler.putRecord(data, at, await linkOf(bytes))
  data ??= (await (await nodes.put(await nodes.get(null))).cid()).$link
  trees.set(records, { of, store, nodes, data })
  return { of, store, nodes, data }
}

const isSame = (one: Tree['of'], other: Tree['of']): boolean =>
  one.size === other.size && [...one].every(([path, bytes]) => other.get(path) === bytes)

/** The proof as servers send it. Blocks keep the CID they are filed under, true or not. */
export async function carOf({
  root,
  blocks,
}: Omit<Proof, 'root'> & { root: string | null }): Promise<Uint8Array<ArrayBuffer>> {
  const entries = [...blocks].map(([cid, data]) => ({ cid: Cid.fromString(cid).bytes, data }))
  const chunks = Car.writeCarStream(root === null ? [] : [{ $link: root }], toAsync(entries))
  return new Uint8Array(Buffer.concat(await Array.fromAsync(chunks)))
}

export async function linkOf(bytes: Uint8Array): Promise<{ $link: string }> {
  return { $link: Cid.toString(await Cid.create(Cid.CODEC_DCBOR, bytes)) }
}

/** JSON as the protocol writes it, in the binary form that repositories hold. */
export function encodeRecord(record: object): Uint8Array<ArrayBuffer> {
  return Cbor.encode(encodable(record))
}

interface Blob {
  readonly $type: 'blob'
  readonly ref: { readonly $link: string }
  readonly mimeType: string
  readonly size: number
}

export interface FakePds extends AsyncDisposable {
  readonly url: string
  readonly did: Did
  readonly key: PrivateKeyExportable
  /** Every request so far, such as `getBlob bafk…`, oldest first. */
  readonly requests: string[]
  /** What is answered in place of the truth. Deleting one makes it honest again. */
  readonly lies: {
    document?: (honest: Record<string, unknown>) => unknown
    proof?: (honest: ProofOf) => Promise<Uint8Array<ArrayBuffer> | Response>
    blocks?: (honest: Proof['blocks']) => Promise<Uint8Array<ArrayBuffer>> | Response
    blob?: (honest: Uint8Array<ArrayBuffer>, cid: string) => Response | Promise<Response>
    status?: () => Response
    records?: (query: URLSearchParams) => Response
    /** To whatever it is asked, but for documents. */
    any?: (pathname: string) => Response | undefined
  }
  /** Servers of other accounts that this one, as the directory, knows. */
  readonly others: Pick<FakePds, 'did' | 'document'>[]
  /** Of its repository, now. */
  readonly rev: string
  /** Of its account, true. */
  readonly document: Record<string, unknown>
  putRecord(path: string, record: object | Uint8Array<ArrayBuffer>): Promise<string>
  deleteRecord(path: string): void
  addBlob(bytes: Uint8Array | string, mimeType?: string): Blob
}

const revs = '234567abcdefghijklmnopqrstuvwxyz'

/** Starts the server for one account. Revisions of its repository count up from the first. */
export async function startFakePds(did: Did): Promise<FakePds> {
  const key = await P256PrivateKeyExportable.createKeypair()
  const multikey = await key.exportPublicKey('multikey')
  const records = new Map<string, Uint8Array<ArrayBuffer>>()
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>()
  const requests: string[] = []
  const lies: FakePds['lies'] = {}
  let commits = 0
  const rev = () => {
    const digits = [commits >> 15, commits >> 10, commits >> 5, commits].map((n) => revs[n & 31])
    return `3kaaaaaaa${digits.join('')}`
  }

  const others: FakePds['others'] = []
  const documentAt = (pds: string): Record<string, unknown> => ({
    id: did,
    alsoKnownAs: [],
    verificationMethod: [
      { id: `${did}#atproto`, type: 'Multikey', controller: did, publicKeyMultibase: multikey },
    ],
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: pds }],
  })

  function answerDocument(honest: Record<string, unknown>): Response {
    const answer = lies.document ? lies.document(honest) : honest
    return answer instanceof Response ? answer : Response.json(answer)
  }

  async function answerProof(path: string): Promise<Response> {
    const honest = { did, key, rev: rev(), records, path }
    const answer = lies.proof ? await lies.proof(honest) : await carOf(await proofOf(honest))
    return answer instanceof Response ? answer : new Response(answer)
  }

  async function answerBlocks(cids: readonly string[]): Promise<Response> {
    const present = await blocksOf(records)
    const blocks = new Map(
      cids.flatMap((cid) => {
        const bytes = present.get(cid)
        return bytes === undefined ? [] : [[cid, bytes] as const]
      }),
    )
    if (lies.blocks) {
      const answer = await lies.blocks(blocks)
      return answer instanceof Response ? answer : new Response(answer)
    }
    if (blocks.size < cids.length)
      return Response.json({ error: 'InvalidRequest' }, { status: 400 })
    return new Response(await carOf({ root: null, blocks }))
  }

  /** Without its value: that has to be proven. */
  function answerRecord(path: string): Response {
    if (records.has(path)) return Response.json({ uri: `at://${did}/${path}`, value: {} })
    return Response.json({ error: 'RecordNotFound' }, { status: 400 })
  }

  /** A page at a time; the cursor is how many came before. */
  function answerList(query: URLSearchParams): Response {
    const collection = `${query.get('collection')}/`
    const from = Number(query.get('cursor') ?? 0)
    const to = from + Number(query.get('limit') ?? 50)
    const all = [...records.keys()].filter((at) => at.startsWith(collection))
    const page = all.slice(from, to).map((at) => ({ uri: `at://${did}/${at}`, value: {} }))
    return Response.json({ records: page, ...(to < all.length && { cursor: String(to) }) })
  }

  async function answerBlob(cid: string): Promise<Response> {
    const bytes = blobs.get(cid)
    if (bytes === undefined) return Response.json({ error: 'BlobNotFound' }, { status: 400 })
    return lies.blob ? await lies.blob(bytes, cid) : new Response(bytes)
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request): Promise<Response> {
      const { origin, pathname, searchParams: query } = new URL(request.url)
      const method = pathname.slice(pathname.lastIndexOf('.') + 1)
      const cid = query.get('cid') ?? ''
      const path = `${query.get('collection')}/${query.get('rkey')}`
      if (pathname === `/${encodeURIComponent(did)}` || pathname === `/${did}`) {
        requests.push('document')
        return answerDocument(documentAt(origin))
      }
      const other = others.find((each) => decodeURIComponent(pathname) === `/${each.did}`)
      if (other !== undefined) return Response.json(other.document)
      requests.push(`${method} ${method === 'getBlob' ? cid : path}`)
      const lie = lies.any?.(pathname)
      if (lie !== undefined) return lie
      if (pathname.endsWith('.repo.getRecord')) return answerRecord(path)
      if (method === 'getRecord') return await answerProof(path)
      if (method === 'getBlob') return await answerBlob(cid)
      if (method === 'getBlocks') return await answerBlocks(query.getAll('cids'))
      if (method === 'getRepoStatus') return lies.status?.() ?? Response.json({ did, active: true })
      if (method === 'listRecords') return lies.records?.(query) ?? answerList(query)
      return Response.json({ error: 'MethodNotImplemented' }, { status: 501 })
    },
  })

  return {
    url: server.url.origin,
    did,
    key,
    requests,
    lies,
    others,
    get rev() {
      return rev()
    },
    document: documentAt(server.url.origin),
    async putRecord(path, record) {
      const bytes = record instanceof Uint8Array ? record : encodeRecord(record)
      records.set(path, bytes)
      commits += 1
      return (await linkOf(bytes)).$link
    },
    deleteRecord(path) {
      records.delete(path)
      commits += 1
    },
    addBlob(content, mimeType = 'application/octet-stream') {
      const bytes = new Uint8Array(Buffer.from(content as Uint8Array))
      const digest = new Bun.CryptoHasher('sha256').update(bytes).digest()
      const $link = Cid.toString(Cid.fromDigest(Cid.CODEC_RAW, digest))
      blobs.set($link, bytes)
      return { $type: 'blob', ref: { $link }, mimeType, size: bytes.length }
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** Plain `$link`s become the links that the encoder knows; what it knows already stays. */
function encodable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Cbor.isBytes(value)) return value
  if (Array.isArray(value)) return value.map(encodable)
  const { $link } = value as { $link?: unknown }
  if (typeof $link === 'string') return Cid.toCidLink(Cid.fromString($link))
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, encodable(field)]))
}

async function* toAsync<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}
