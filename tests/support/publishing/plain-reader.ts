import { gunzipSync } from 'node:zlib'
import { getRecord, type PdsAccount } from '#tests/support/accounts.ts'

// Rebuilds a site from its records by the public specification alone: nothing of ours is used here.

export interface PlainFile {
  readonly path: string
  readonly content: string
}

interface PlainNode {
  type: string
  entries?: { name: string; node: PlainNode }[]
  blob?: { ref: { $link: string } }
  encoding?: string
  base64?: boolean
  subject?: string
  flat?: boolean
}

/** The site of this name, or the version with this key of `place.sitehost.version`. */
export async function readSitePlainly(
  account: PdsAccount,
  key: string,
  collection = 'place.sitehost.fs',
): Promise<PlainFile[]> {
  const record = (await getRecord(account, collection, key)) as { root: PlainNode }
  return await readDirectory(new Blobs(account), account, record.root, '')
}

async function readDirectory(
  blobs: Blobs,
  account: PdsAccount,
  { entries = [] }: PlainNode,
  at: string,
): Promise<PlainFile[]> {
  const files: PlainFile[] = []
  for (const { name, node } of entries) {
    if (node.type === 'file') files.push({ path: at + name, content: await read(blobs, node) })
    if (node.type === 'directory')
      files.push(...(await readDirectory(blobs, account, node, `${at}${name}/`)))
    if (node.type !== 'subfs') continue
    const rkey = node.subject?.split('/').at(-1) ?? ''
    const part = (await getRecord(account, 'place.sitehost.subfs', rkey)) as { root: PlainNode }
    const below = (node.flat ?? true) ? at : `${at}${name}/`
    files.push(...(await readDirectory(blobs, account, part.root, below)))
  }
  return files
}

async function read(blobs: Blobs, node: PlainNode): Promise<string> {
  let bytes = await blobs.get(node.blob?.ref.$link ?? '')
  if (node.base64) bytes = Buffer.from(bytes.toString(), 'base64')
  if (node.encoding === 'gzip') bytes = gunzipSync(bytes)
  return bytes.toString()
}

/** Of an account; each is asked for once. */
class Blobs {
  readonly #account: PdsAccount
  readonly #read = new Map<string, Promise<Buffer>>()

  constructor(account: PdsAccount) {
    this.#account = account
  }

  get(cid: string): Promise<Buffer> {
    const blob = this.#read.get(cid) ?? this.#fetch(cid)
    this.#read.set(cid, blob)
    return blob
  }

  async #fetch(cid: string): Promise<Buffer> {
    const { pds, did } = this.#account
    const query = new URLSearchParams({ did, cid })
    const response = await fetch(`${pds}/xrpc/com.atproto.sync.getBlob?${query}`)
    return Buffer.from(await response.arrayBuffer())
  }
}
