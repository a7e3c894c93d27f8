import { createHash } from 'node:crypto'
import { toBase32 } from '@atcute/multibase'
import {
  directoryEntriesMax,
  manifestFilesMax,
  partDepthMax,
  partsMax,
  smallSitePartsMax,
  splitFilesMax,
  splitManifestBytesMax,
} from '#site/limits.ts'
import { ownNamespace } from '#site/namespace.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import type { Directory, Entry, SubfsNode } from './manifest.ts'
import { type PartUri, partUri } from './part.ts'
import {
  directoryOf,
  sumOf,
  type Weighed,
  weighDirectory,
  weighFile,
  weighPart,
} from './record-sizes.ts'
import { runsOf } from './runs.ts'

/** A tree split into pieces that fit into records. */
export interface SplitTree {
  /** Of the main record. */
  readonly root: Directory
  /** By record key, a hash of site and content: the same part of the same site has the same key. */
  readonly parts: ReadonlyMap<string, SplitPart>
}

export interface SplitPart {
  readonly root: Directory
  readonly fileCount: number
}

/** The pieces are small, so that versions of a site share all but those that changed. */
const partEntriesMax = 64
/** With the fields of its record besides the root a part stays within 16 kB. */
const partBytesMax = 16 * 1024 - 256
/** A root that names parts only; more of them are named by parts in turn. */
const rootBytesMax = 12 * 1024
/** The files of a version are in its own record up to this size. */
const versionBytesMax = 8 * 1024

/**
 * The tree of a manifest: whole within 250 files, 140 KB of JSON and 500 entries a directory, otherwise in the same
 * parts as the version's. Deterministic; `expandTree` restores the tree.
 */
export function splitTree(tree: Directory, address: SiteAddress): SplitTree {
  return isWhole(tree, address) ? whole(tree) : splitSmall(tree, address)
}

/** The tree of a version record: whole if it is small, otherwise in parts. Deterministic, like `splitTree`. */
export function splitVersion(tree: Directory, address: SiteAddress): SplitTree {
  const isSmall = Buffer.byteLength(JSON.stringify(tree)) <= versionBytesMax
  return isSmall ? whole(tree) : splitSmall(tree, address)
}

const whole = (root: Directory): SplitTree => ({ root, parts: new Map() })

/** Whether the site fits into one manifest: measures the exact JSON, no estimate. */
function isWhole(tree: Directory, address: SiteAddress): boolean {
  const { files, largestDirectory } = countTree(tree)
  const createdAt = new Date(0).toISOString()
  const record = {
    $type: ownNamespace.fs,
    site: address.name,
    root: tree,
    fileCount: files,
    createdAt,
  }
  return (
    files <= splitFilesMax &&
    largestDirectory <= directoryEntriesMax &&
    Buffer.byteLength(JSON.stringify(record)) <= splitManifestBytesMax
  )
}

function countTree(tree: Directory): { files: number; largestDirectory: number } {
  const waiting = [tree]
  let files = 0
  let largestDirectory = 0
  // the list grows while it is walked
  for (const { entries } of waiting) {
    largestDirectory = Math.max(largestDirectory, entries.length)
    for (const { node } of entries) {
      if (node.type === 'directory') waiting.push(node)
      if (node.type === 'file') files += 1
    }
  }
  return { files, largestDirectory }
}

/** Larger parts where small ones would be too many, or nested too deep: directories within directories, all large. */
const largerMax = 5

function splitSmall(tree: Directory, address: SiteAddress): SplitTree {
  for (let larger = 0; ; larger++) {
    const splitter = new Splitter(address, 2 ** larger)
    const root = splitter.split(tree)
    const { files, depth } = sumOf(root)
    const countMax = files <= manifestFilesMax ? smallSitePartsMax : partsMax
    const isReadable = splitter.parts.size <= countMax && depth <= partDepthMax
    if (isReadable || larger === largerMax) {
      return { root: directoryOf(root), parts: splitter.parts }
    }
  }
}

class Splitter {
  readonly parts = new Map<string, SplitPart>()
  readonly #address: SiteAddress
  readonly #scale: number

  /** Parts are `scale` times as large as usual. */
  constructor(address: SiteAddress, scale: number) {
    this.#address = address
    this.#scale = scale
  }

  /** The root's entries: no files, unless there are few. */
  split(tree: Directory): readonly Weighed[] {
    return this.#inParts(this.#weighAll(tree), (entries) => {
      const { bytes, ownFiles } = sumOf(entries)
      const bytesMax = ownFiles === 0 ? rootBytesMax : versionBytesMax
      return this.#fits(entries) && bytes <= bytesMax * this.#scale
    })
  }

  #weighAll({ entries }: Directory): readonly Weighed[] {
    return entries.map(({ name, node }): Weighed => {
      if (node.type === 'file') return weighFile(name, node)
      if (node.type === 'subfs') return weighPart({ name, node }, [])
      return weighDirectory(name, this.#reduce(this.#weighAll(node)))
    })
  }

  /** Deepest directories first: each becomes small enough to be in a part as a whole. */
  #reduce(entries: readonly Weighed[]): readonly Weighed[] {
    return this.#inParts(entries, (level) => this.#fits(level))
  }

  /** Moves entries into parts, and the references to these again, until they are few. */
  #inParts(
    entries: readonly Weighed[],
    isFew: (level: readonly Weighed[]) => boolean,
  ): readonly Weighed[] {
    const names = new Set(entries.map(({ name }) => name))
    let level = entries
    while (!isFew(level)) {
      level = runsOf(level, (run) => this.#fits(run)).map((run) => this.#part(run, names))
    }
    return level
  }

  #part(run: readonly Weighed[], names: Set<string>): Weighed {
    const root = directoryOf(run)
    const key = partKey(this.#address, root)
    this.parts.set(key, { root, fileCount: sumOf(run).files })
    const node: SubfsNode = {
      $type: ownNamespace.nodes.subfs,
      type: 'subfs',
      subject: partUri(this.#address.did, key) satisfies PartUri as SubfsNode['subject'],
      flat: true,
    }
    return weighPart({ name: partName(run, names), node }, run)
  }

  #fits(entries: readonly Weighed[]): boolean {
    const { entries: count, bytes } = sumOf(entries)
    return (
      entries.length <= directoryEntriesMax &&
      count <= partEntriesMax * this.#scale &&
      bytes <= partBytesMax * this.#scale
    )
  }
}

/** Does not depend on what the part holds, nor on how many are before it: then a level of parts above changes little. */
function partName(run: readonly Weighed[], taken: Set<string>): string {
  const last = run.at(-1)?.name ?? ''
  const wanted = `part-${toBase32(createHash('sha256').update(last).digest()).slice(0, 8)}`
  let name = wanted
  for (let n = 2; taken.has(name); n++) name = `${wanted}~${n}`
  taken.add(name)
  return name
}

/**
 * 26 characters, 130 bits: the same for the same content, uploaded or read from a record. The hash includes the site's
 * name: two sites never share a part that we wrote.
 */
export function partKey(address: SiteAddress, directory: Directory): string {
  const hash = createHash('sha256')
  hash
    .update(siteUri(address))
    .update('\n')
    .update(JSON.stringify(inOrder(directory)))
  return toBase32(hash.digest()).slice(0, 26)
}

/** The same JSON with its fields in one order. */
function inOrder(node: Entry['node']): object {
  const { $type, type } = node
  if (node.type === 'subfs') return { $type, type, subject: node.subject, flat: node.flat }
  if (node.type === 'directory') {
    return {
      $type,
      type,
      entries: node.entries.map(({ name, node }) => ({ name, node: inOrder(node) })),
    }
  }
  const { base64, blob, encoding, mimeType } = node
  const { ref, size } = blob
  const blobInOrder = {
    $type: blob.$type,
    ref: { $link: ref.$link },
    mimeType: blob.mimeType,
    size,
  }
  return { $type, type, blob: blobInOrder, mimeType, encoding, base64 }
}
