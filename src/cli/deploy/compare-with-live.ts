import { readRepository } from '#publish/account-records.ts'
import type { BlobLedger } from '#publish/blob-ledger.ts'
import type { RepoContext } from '#publish/commit-on-head.ts'
import { filesOfBase } from '#publish/files-of-base.ts'
import { withPatience } from '#publish/server-patience.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import { compareBytes, type SitePath } from '#site/path.ts'
import { blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { SiteAddress } from '#site/site-address.ts'

/** How a folder differs from the live site, by path, each list in order. */
export interface Difference {
  readonly added: readonly SitePath[]
  readonly changed: readonly SitePath[]
  readonly removed: readonly SitePath[]
  /** How many files the site has now. */
  readonly present: number
}

/** What a deploy of these files would change. Sends nothing. */
export async function compareWithLive(
  address: SiteAddress,
  { files, into }: { readonly files: readonly UploadedFile[]; readonly into: SitePath | null },
  ledger: BlobLedger,
  context: RepoContext,
): Promise<Difference> {
  const repository = await withPatience(() => readRepository(context.repo, address.name), context)
  const base = await filesOfBase(address, null, repository, context)
  const live: ReadonlyMap<SitePath, FileNode> = base.ok ? base.files : new Map()
  const top = into === null ? '' : `${into}/`
  const placed = files.map((file) => ({ ...file, path: (top + file.path) as SitePath }))
  const stored = await ledger.findReusable(placed, repository, live)
  const isSame = ({ path, sha256 }: UploadedFile): boolean => {
    const [node, blob] = [live.get(path), stored.get(sha256)]
    if (node === undefined || blob === undefined) return false
    return blobKeyText(blobKeyOf(node)) === blobKeyText({ ...blob, cid: blob.blob.ref.$link })
  }
  const paths = new Set(placed.map(({ path }) => path))
  const there = placed.filter(({ path }) => live.has(path))
  return {
    added: sorted([...paths].filter((path) => !live.has(path))),
    changed: sorted(there.filter((file) => !isSame(file)).map(({ path }) => path)),
    removed: sorted([...live.keys()].filter((path) => path.startsWith(top) && !paths.has(path))),
    present: live.size,
  }
}

const sorted = (paths: SitePath[]): SitePath[] => paths.sort(compareBytes)
