import { createHash } from 'node:crypto'
import { toBase32 } from '@atcute/multibase'
import { directoryEntriesMax, splitFilesMax, splitManifestBytesMax } from '#site/limits.ts'
import { compareBytes } from '#site/path.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import type { Directory, Entry, SubfsNode } from './manifest.ts'
import { type PartUri, partUri } from './part.ts'

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

/**
 * Splits a tree so that the main record and every part stay within 250 files, 140 KB of JSON and 500 entries a
 * directory. A tree within these is not split. Whole directories move out first, largest first (mounted parts);
 * the entries of one directory only if that is not enough (flat parts). Deterministic; `expandTree` restores the
 * tree.
 */
export function splitTree(tree: Directory, address: SiteAddress): SplitTree {
  if (isWhole(tree, address)) return { root: tree, parts: new Map() }
  const splitter = new Splitter(address)
  const root = splitter.reduce(tree)
  return { root: root.directory, parts: splitter.parts }
}

/** Whether the site fits into one record: measures the exact JSON, no estimate. */
function isWhole(tree: Directory, address: SiteAddress): boolean {
  const { files, largestDirectory } = countTree(tree)
  const createdAt = new Date(0).toISOString()
  const record = {
    $type: 'place.sitehost.fs',
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

interface Weighed {
  readonly directory: Directory
  readonly weight: Weight
}

interface Weight {
  /** Files in this record. */
  readonly files: number
  /** Files of the site below it, those in parts included. */
  readonly allFiles: number
  readonly bytes: number
}

interface WeighedEntry {
  readonly entry: Entry
  readonly weight: Weight
  /** The entry's inline directory, which can be moved out. */
  readonly inline: Weighed | null
}

/** The fields of a record besides its root: at most a site name of 512 characters, a count and a time. */
const recordFrameBytes = 1024
const bytesMax = splitManifestBytesMax - recordFrameBytes

/** Smaller directories stay inline: they are not worth a record. */
const mountedShareMin = 1 / 4

class Splitter {
  readonly parts = new Map<string, SplitPart>()
  readonly #address: SiteAddress

  constructor(address: SiteAddress) {
    this.#address = address
  }

  /** Shrinks the directory until it fits into one record. Deepest directories first. */
  reduce(directory: Directory): Weighed {
    let entries = directory.entries.map((entry) => this.#weigh(entry))
    while (!fits(entries)) {
      const largest = largestInline(entries)
      entries =
        largest === null
          ? this.#moveOutFlat(entries)
          : entries.map((entry) => (entry === largest ? this.#moveOut(largest) : entry))
    }
    return weighDirectory(entries)
  }

  #weigh(entry: Entry): WeighedEntry {
    const { node } = entry
    switch (node.type) {
      case 'directory': {
        const inline = this.reduce(node)
        return weighEntry({ name: entry.name, node: inline.directory }, inline.weight, inline)
      }
      case 'file':
        return weighEntry(entry, { files: 1, allFiles: 1, bytes: 0 }, null)
      case 'subfs':
        return weighEntry(entry, { files: 0, allFiles: 0, bytes: 0 }, null)
    }
  }

  #moveOut({ entry, inline }: InlineEntry): WeighedEntry {
    return this.#partEntry(entry.name, inline, false)
  }

  /** Moves runs of entries out, in their order, each as large as a part may be. */
  #moveOutFlat(entries: readonly WeighedEntry[]): WeighedEntry[] {
    const names = new Set(entries.map(({ entry }) => entry.name))
    return runsOf(entries).map((run, index) =>
      this.#partEntry(freeName(`part-${index + 1}`, names), weighDirectory(run), true),
    )
  }

  #partEntry(name: string, { directory, weight }: Weighed, flat: boolean): WeighedEntry {
    const key = partKey(this.#address, directory)
    this.parts.set(key, { root: directory, fileCount: weight.allFiles })
    const node: SubfsNode = {
      $type: 'place.sitehost.fs#subfs',
      type: 'subfs',
      subject: partUri(this.#address.did, key) satisfies PartUri as SubfsNode['subject'],
      flat,
    }
    return weighEntry({ name, node }, { files: 0, allFiles: weight.allFiles, bytes: 0 }, null)
  }
}

function fits(entries: readonly WeighedEntry[]): boolean {
  const { files, bytes } = weighDirectory(entries).weight
  return files <= splitFilesMax && bytes <= bytesMax && entries.length <= directoryEntriesMax
}

type InlineEntry = WeighedEntry & { readonly inline: Weighed }

function largestInline(entries: readonly WeighedEntry[]): InlineEntry | null {
  let largest: InlineEntry | null = null
  for (const entry of entries) {
    if (!isWorthMounting(entry)) continue
    if (largest === null || entry.weight.bytes > largest.weight.bytes) largest = entry
  }
  return largest
}

function isWorthMounting(entry: WeighedEntry): entry is InlineEntry {
  const { bytes, files } = entry.weight
  const isLarge = bytes >= bytesMax * mountedShareMin || files >= splitFilesMax * mountedShareMin
  return entry.inline !== null && isLarge
}

function runsOf(entries: readonly WeighedEntry[]): WeighedEntry[][] {
  const runs: WeighedEntry[][] = []
  let run: WeighedEntry[] = []
  for (const entry of entries.toSorted((a, b) => compareBytes(a.entry.name, b.entry.name))) {
    if (run.length > 0 && !fits([...run, entry])) {
      runs.push(run)
      run = []
    }
    run.push(entry)
  }
  return [...runs, run]
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let n = 2; taken.has(name); n++) name = `${wanted}~${n}`
  taken.add(name)
  return name
}

function weighDirectory(entries: readonly WeighedEntry[]): Weighed {
  const directory: Directory = {
    $type: 'place.sitehost.fs#directory',
    type: 'directory',
    entries: entries.map(({ entry }) => entry),
  }
  const sum = (of: keyof Weight) => entries.reduce((total, { weight }) => total + weight[of], 0)
  const frameBytes = 80 // the directory's own fields
  return {
    directory,
    weight: { files: sum('files'), allFiles: sum('allFiles'), bytes: frameBytes + sum('bytes') },
  }
}

function weighEntry(entry: Entry, weight: Weight, inline: Weighed | null): WeighedEntry {
  const ownBytes =
    inline === null
      ? Buffer.byteLength(JSON.stringify(entry))
      : Buffer.byteLength(JSON.stringify(entry.name)) + 20
  return { entry, weight: { ...weight, bytes: weight.bytes + ownBytes + 1 }, inline }
}

/** 26 characters, 130 bits. The hash includes the site's name: two sites never share a part that we wrote. */
export function partKey(address: SiteAddress, directory: Directory): string {
  const hash = createHash('sha256')
  hash.update(siteUri(address)).update('\n').update(JSON.stringify(directory))
  return toBase32(hash.digest()).slice(0, 26)
}
