import { ExpiringTier } from '#concurrency/expiring-tier.ts'
import type { Namespace } from '#site/namespace.ts'
import type { SitePath } from '#site/path.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import type { PartUri } from '#site/record/part.ts'
import type { Did } from '#site/site-address.ts'

/** Parts and files of 10 000 files count as 16 MB. */
const bytesMax = 32 * 1024 * 1024
/** Long enough for the record of a version to be read after its site. */
const ttlMs = 60_000
/** What was parsed of a byte of a record. */
const bytesPerRecordByte = 4
/** A file's place among others, besides its path; the rest of it is in its part. */
const bytesPerFile = 160
const bytesPerPathChar = 2

/** A part, parsed. */
export interface KnownPart {
  readonly root: Directory
  /** Of its record. */
  readonly bytes: number
}

/** The files of a tree, all of whose records are in one commit. */
interface FilesOfTree {
  readonly files: ReadonlyMap<SitePath, FileNode>
  /** CIDs of its parts. */
  readonly parts: ReadonlyMap<PartUri, string>
}

/**
 * What was parsed within the last minute of records that servers had proven: parts by CID, as records of a network, and the files of whole trees. The
 * next version of a site has nearly the same parts, and its version record the same tree. That a record is in a repository,
 * only a signed commit says.
 */
export class RecentTrees {
  readonly #parts: ExpiringTier<KnownPart>
  readonly #trees: ExpiringTier<FilesOfTree>

  constructor(elapsed?: () => number) {
    const options = { bytesMax: bytesMax / 2, ttlMs, ...(elapsed && { elapsed }) }
    this.#parts = new ExpiringTier(options)
    this.#trees = new ExpiringTier(options)
  }

  part(did: Did, cid: string, { subfs }: Namespace): KnownPart | undefined {
    return this.#parts.get(`${did} ${subfs} ${cid}`)
  }

  keepPart(did: Did, cid: string, part: KnownPart, { subfs }: Namespace): void {
    const bytes = part.bytes * bytesPerRecordByte
    this.#parts.set(`${did} ${subfs} ${cid}`, part, { bytes, owner: did })
  }

  /** The files of this root in a repository whose tree has this CID. */
  files(did: Did, treeCid: string, root: Directory, of: Namespace): FilesOfTree | undefined {
    return this.#trees.get(keyOf(did, treeCid, root, of))
  }

  keepFiles(did: Did, treeCid: string, root: Directory, files: FilesOfTree, of: Namespace): void {
    let bytes = 0
    for (const path of files.files.keys()) bytes += bytesPerFile + path.length * bytesPerPathChar
    this.#trees.set(keyOf(did, treeCid, root, of), files, { bytes, owner: did })
  }

  forget(did: Did): void {
    this.#parts.deleteOwner(did)
    this.#trees.deleteOwner(did)
  }
}

const keyOf = (did: Did, treeCid: string, root: Directory, { subfs }: Namespace): string =>
  `${did} ${treeCid} ${subfs} ${new Bun.CryptoHasher('sha256').update(JSON.stringify(root)).digest('hex')}`
