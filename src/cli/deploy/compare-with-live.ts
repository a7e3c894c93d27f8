import type { RepoContext } from '#publish/commit-on-head.ts'
import type { BlobLedger } from '#publish/contents/blob-ledger.ts'
import { filesOfBase } from '#publish/files-of-base.ts'
import { readRepository } from '#publish/repository/read-repository.ts'
import { withPatience } from '#publish/server-patience.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import { compareBytes, type SitePath } from '#site/path.ts'
import { blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { pathInSite } from './record-ledger.ts'

/** What a deploy of a folder removes, without a look at any content. */
export interface Removals {
  /** In order. */
  readonly removed: readonly SitePath[]
  /** How many files the site has now. */
  readonly present: number
}

/** How a folder differs from the live site, by path, each list in order. */
export interface Difference extends Removals {
  readonly added: readonly SitePath[]
  readonly changed: readonly SitePath[]
}

interface Folder<File extends { readonly path: SitePath }> {
  readonly files: readonly File[]
  /** Where they are to be; null: they are the whole site. */
  readonly into: SitePath | null
}

/** Which files a deploy of these would remove. Reads no file. */
export async function findRemovals(
  address: SiteAddress,
  folder: Folder<{ readonly path: SitePath }>,
  context: RepoContext,
): Promise<Removals> {
  return removalsOf(folder, (await readLive(address, context)).live)
}

/** What a deploy of these files would change. Sends nothing. */
export async function compareWithLive(
  address: SiteAddress,
  folder: Folder<UploadedFile>,
  ledger: BlobLedger,
  context: RepoContext,
): Promise<Difference> {
  const { files, into } = folder
  const { live, repository } = await readLive(address, context)
  const stored = await ledger.findReusable(files, repository, live)
  const isSame = ({ path, sha256 }: UploadedFile): boolean => {
    const [node, blob] = [live.get(pathInSite(path, into)), stored.get(sha256)]
    if (node === undefined || blob === undefined) return false
    return blobKeyText(blobKeyOf(node)) === blobKeyText({ ...blob, cid: blob.blob.ref.$link })
  }
  const there = files.filter(({ path }) => live.has(pathInSite(path, into)))
  const added = files.filter(({ path }) => !live.has(pathInSite(path, into)))
  const placed = (those: readonly UploadedFile[]) =>
    sorted(those.map(({ path }) => pathInSite(path, into)))
  return {
    added: placed(added),
    changed: placed(there.filter((file) => !isSame(file))),
    ...removalsOf(folder, live),
  }
}

async function readLive(address: SiteAddress, context: RepoContext) {
  const repository = await withPatience(() => readRepository(context.repo, address.name), context)
  const base = await filesOfBase(address, null, repository, context)
  const live: ReadonlyMap<SitePath, FileNode> = base.ok ? base.files : new Map()
  return { live, repository }
}

function removalsOf(
  { files, into }: Folder<{ readonly path: SitePath }>,
  live: ReadonlyMap<SitePath, FileNode>,
): Removals {
  const stays = new Set(files.map(({ path }) => pathInSite(path, into)))
  const top = into === null ? '' : `${into}/`
  const removed = [...live.keys()].filter((path) => path.startsWith(top) && !stays.has(path))
  return { removed: sorted(removed), present: live.size }
}

const sorted = (paths: SitePath[]): SitePath[] => paths.sort(compareBytes)
