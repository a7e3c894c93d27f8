import { gunzipSync } from 'node:zlib'
import { getRecord, type PdsAccount } from './accounts.ts'

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
  return await readDirectory(account, record.root, '')
}

async function readDirectory(
  account: PdsAccount,
  { entries = [] }: PlainNode,
  at: string,
): Promise<PlainFile[]> {
  const files: PlainFile[] = []
  for (const { name, node } of entries) {
    if (node.type === 'file') files.push({ path: at + name, content: await read(account, node) })
    if (node.type === 'directory')
      files.push(...(await readDirectory(account, node, `${at}${name}/`)))
    if (node.type !== 'subfs') continue
    const rkey = node.subject?.split('/').at(-1) ?? ''
    const part = (await getRecord(account, 'place.sitehost.subfs', rkey)) as { root: PlainNode }
    const below = (node.flat ?? true) ? at : `${at}${name}/`
    files.push(...(await readDirectory(account, part.root, below)))
  }
  return files
}

async function read({ pds, did }: PdsAccount, node: PlainNode): Promise<string> {
  const query = new URLSearchParams({ did, cid: node.blob?.ref.$link ?? '' })
  const response = await fetch(`${pds}/xrpc/com.atproto.sync.getBlob?${query}`)
  let bytes = Buffer.from(await response.arrayBuffer())
  if (node.base64) bytes = Buffer.from(bytes.toString(), 'base64')
  if (node.encoding === 'gzip') bytes = gunzipSync(bytes)
  return bytes.toString()
}
