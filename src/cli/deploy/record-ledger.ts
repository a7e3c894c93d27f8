import { createHash } from 'node:crypto'
import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { decodedContent } from '#cli/verified/decoded-content.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { BlobLedger } from '#publish/contents/blob-ledger.ts'
import { distinctContents } from '#publish/contents/distinct-contents.ts'
import { base64Form, type ContentFolder, encodeFile } from '#publish/contents/encode-file.ts'
import { namedBlobs, type ReusableBlob } from '#publish/contents/named-blobs.ts'
import { filesOfBase } from '#publish/files-of-base.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SitePath } from '#site/path.ts'
import { blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { SiteAddress } from '#site/site-address.ts'

interface LedgerContext {
  readonly repo: AccountRepo
  readonly folder: ContentFolder
  /** A blob of the account's, as it is stored; `bytesMax`: most that it may have. */
  readonly fetchBlob: (cid: string, bytesMax: number) => Promise<Uint8Array>
  /** The folder of the site that the files are for; null: all of it. */
  readonly into: SitePath | null
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Compressing runs on the runtime's thread pool. */
const encodedAtOnce = 4
const fetchedAtOnce = 8
/** Of a blob that is fetched to be compared; a larger one is sent again. */
const comparedBytesMax = 32 * 1024 * 1024
/** Two compressors make of the same content sizes that differ by no more. */
const sizeDifferenceMax = 0.25

/**
 * A ledger for programs without a memory of their own: the account's records are all that is known. A file is there
 * already if a record names its bytes, as they are or compressed. Another build of zlib compresses to other bytes: then the
 * site's blob at the same path is fetched and compared.
 */
export function recordLedger(address: SiteAddress, context: LedgerContext): BlobLedger {
  const { folder, into, signal } = context
  let sniffsGzip: boolean | null = null

  const findNamed = async (
    files: readonly UploadedFile[],
    named: ReturnType<typeof namedBlobs>,
  ): Promise<Map<string, ReusableBlob>> => {
    const found = new Map<string, ReusableBlob>()
    const hasBase64 = named.values().some(({ base64 }) => base64)
    const find = (sha256: string, form: Pick<ReusableBlob, 'coding' | 'base64'>) =>
      named.get(blobKeyText({ cid: rawCid(Buffer.from(sha256, 'hex')), ...form }))
    await mapAtOnce(files, { atOnce: encodedAtOnce, signal }, async (file, signal) => {
      const plain = find(file.sha256, { coding: 'identity', base64: false })
      if (plain !== undefined) {
        found.set(file.sha256, plain)
        return
      }
      const { coding, content, sha256 } = await encodeFile(file, folder, signal)
      if (coding === 'identity') return
      const text = hasBase64 ? await base64Form(content, folder) : null
      const blob =
        find(sha256, { coding, base64: false }) ??
        (text === null ? undefined : find(text.sha256, { coding, base64: true }))
      if (blob === undefined) return
      found.set(file.sha256, blob)
    })
    return found
  }

  const findAtSamePath = async (
    files: readonly UploadedFile[],
    records: AccountRecords,
  ): Promise<Map<string, ReusableBlob>> => {
    const found = new Map<string, ReusableBlob>()
    const base = await filesOfBase(address, null, records, context)
    if (!base.ok || base.files.size === 0) return found
    const pairs = files.flatMap((file) => {
      const node = base.files.get(pathInSite(file.path, into))
      return node?.encoding === 'gzip' && node.blob.size <= comparedBytesMax ? [{ file, node }] : []
    })
    await mapAtOnce(pairs, { atOnce: fetchedAtOnce, signal }, async ({ file, node }) => {
      const { content } = await encodeFile(file, folder, signal)
      const stored = node.base64 ? node.blob.size * 0.75 : node.blob.size
      if (Math.abs(stored - content.size) > sizeDifferenceMax * content.size + 64) return
      const bytes = await context.fetchBlob(node.blob.ref.$link, node.blob.size)
      if ((await decodedHash(bytes, node, file.bytes)) !== file.sha256) return
      const { coding, base64 } = blobKeyOf(node)
      found.set(file.sha256, { blob: node.blob, coding, base64 })
    })
    return found
  }

  return {
    async findReusable(planned, records, present) {
      const named = namedBlobs(records, present.values())
      sniffsGzip = named.values().reduce(sniffingBy, sniffsGzip)
      const files = distinctContents(planned.filter((file) => file.pack !== null))
      const found = await findNamed(files, named)
      const others = files.filter(({ sha256 }) => !found.has(sha256))
      return new Map([...found, ...(await findAtSamePath(others, records))])
    },
    async sniffsGzip() {
      return sniffsGzip
    },
    async rememberSniffing(sniffs) {
      sniffsGzip = sniffs
    },
    // The account's server keeps what was sent, and nothing else is kept.
    keep: async () => async () => {},
    flush: async () => {},
    forget: async () => {},
  }
}

/** Where a file of a folder is in the site. */
export const pathInSite = (path: SitePath, into: SitePath | null): SitePath =>
  into === null ? path : (`${into}/${path}` as SitePath)

/** What a server does to gzip shows in what programs had to write. */
const sniffingBy = (known: boolean | null, { coding, base64 }: ReusableBlob): boolean | null =>
  coding === 'gzip' ? base64 : known

async function decodedHash(
  bytes: Uint8Array,
  node: FileNode,
  bytesMax: number,
): Promise<string | null> {
  const content = await decodedContent(bytes, node, bytesMax)
  return content && createHash('sha256').update(content).digest('hex')
}
