import { ownNamespace } from '#site/namespace.ts'
import type { Directory, Entry, FileNode } from './manifest.ts'

/** What a tree takes in the record that holds it. */
export interface Weight {
  /** Directories and references included, at any depth. */
  readonly entries: number
  /** Files of the site below it, those in parts included. */
  readonly files: number
  /** Files that are not in parts. */
  readonly ownFiles: number
  /** Of its JSON, at most. */
  readonly bytes: number
  /** Parts within parts below it. */
  readonly depth: number
}

export interface Weighed {
  readonly entry: Entry
  readonly name: string
  readonly weight: Weight
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** As long as a file's entry can be without its name and media types: a file weighs the same whatever its content. */
const fileBytes = jsonBytes({
  name: '',
  node: {
    $type: ownNamespace.nodes.file,
    type: 'file',
    blob: { $type: 'blob', ref: { $link: 'x'.repeat(59) }, mimeType: '', size: 1_000_000_000 },
    mimeType: '',
    encoding: 'gzip',
    base64: true,
  } satisfies FileNode,
})

const emptyDirectory: Directory = {
  $type: ownNamespace.nodes.directory,
  type: 'directory',
  entries: [],
}
const directoryBytes = jsonBytes({ name: '', node: emptyDirectory })

export function weighFile(name: string, node: FileNode): Weighed {
  const strings = [name, node.blob.mimeType, node.mimeType ?? '']
  const bytes = strings.reduce((sum, text) => sum + jsonBytes(text), fileBytes + 1)
  return {
    name,
    entry: { name, node },
    weight: { entries: 1, files: 1, ownFiles: 1, bytes, depth: 0 },
  }
}

export function weighDirectory(name: string, within: readonly Weighed[]): Weighed {
  const sum = sumOf(within)
  const bytes = sum.bytes + jsonBytes(name) + 1
  const weight = { ...sum, entries: sum.entries + 1, bytes }
  return { name, entry: { name, node: directoryOf(within) }, weight }
}

/** A reference to a part with these entries. */
export function weighPart(entry: Entry, within: readonly Weighed[]): Weighed {
  const { files, depth } = sumOf(within)
  const bytes = jsonBytes(entry) + 1
  const weight = { entries: 1, files, ownFiles: 0, bytes, depth: depth + 1 }
  return { name: entry.name, entry, weight }
}

export const directoryOf = (within: readonly Weighed[]): Directory => ({
  ...emptyDirectory,
  entries: within.map(({ entry }) => entry),
})

export function sumOf(within: readonly Weighed[]): Weight {
  const sum = { entries: 0, files: 0, ownFiles: 0, bytes: directoryBytes, depth: 0 }
  for (const { weight } of within) {
    sum.entries += weight.entries
    sum.files += weight.files
    sum.ownFiles += weight.ownFiles
    sum.bytes += weight.bytes
    sum.depth = Math.max(sum.depth, weight.depth)
  }
  return sum
}
