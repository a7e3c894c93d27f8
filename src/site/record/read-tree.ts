import { mediaTypeCharsMax } from '#http/media-type.ts'
import {
  directoryDepthMax,
  expandedEntriesMax,
  problemsMax,
  subjectCharsMax,
} from '#site/limits.ts'
import { type Namespace, type OwnNamespace, ownNamespace } from '#site/namespace.ts'
import { describeBadName, quote } from '#site/path.ts'
import { readBlobRef } from './blob-ref.ts'
import { ownField, ownFields } from './own-fields.ts'

/** A directory with valid shape, names and blobs; the lexicon validates the rest. */
export interface PlainDirectory {
  readonly $type: OwnNamespace['nodes']['directory']
  readonly type: 'directory'
  readonly entries: { readonly name: string; readonly node: unknown }[]
}

export type TreeResult =
  | { readonly ok: true; readonly root: PlainDirectory }
  | { readonly ok: false; readonly problems: string[] }

/**
 * Copies an untrusted tree into plain JSON that holds only fields of the lexicon, every `$type` filled in, and
 * checks what a lexicon cannot express: depth, number of entries, names, blobs. Nodes get the types of our network,
 * whichever they are of. Iterative, so that deep nesting cannot overflow the stack. Never throws.
 */
export function readTree(raw: unknown, namespace: Namespace = ownNamespace): TreeResult {
  const root = emptyDirectory()
  const reading: Reading = { namespace, waiting: [], problems: [], entries: 0 }
  if (nodeType(raw, namespace) === 'directory')
    reading.waiting.push({ raw, into: root, path: '', depth: 0 })
  else reading.problems.push('the root is not a directory')

  // the list grows while it is walked
  for (const directory of reading.waiting) {
    readDirectory(reading, directory)
    if (reading.problems.length >= problemsMax) break
  }
  const { problems } = reading
  return problems.length === 0 ? { ok: true, root } : { ok: false, problems }
}

interface Reading {
  readonly namespace: Namespace
  readonly waiting: RawDirectory[]
  readonly problems: string[]
  entries: number
}

interface RawDirectory {
  readonly raw: unknown
  readonly into: PlainDirectory
  readonly path: string
  readonly depth: number
}

function readDirectory(reading: Reading, { raw, into, path, depth }: RawDirectory): void {
  const names = new Set<string>()
  for (const entry of entriesOf(reading, raw, path)) {
    if (reading.problems.length >= problemsMax) return
    const name = readName(reading, entry, path, names)
    if (name === undefined) continue
    names.add(name)
    const node = readNode(reading, ownField(entry, 'node'), join(path, name), depth + 1)
    if (node !== undefined) into.entries.push({ name, node })
  }
}

function entriesOf(reading: Reading, raw: unknown, path: string): readonly unknown[] {
  const entries: unknown = ownField(raw, 'entries')
  if (!Array.isArray(entries)) {
    report(reading, path, 'has no list of entries')
    return []
  }
  reading.entries += entries.length
  if (reading.entries <= expandedEntriesMax) return entries
  report(reading, path, `brings the site over ${expandedEntriesMax} entries`)
  return []
}

function readName(
  reading: Reading,
  entry: unknown,
  path: string,
  taken: ReadonlySet<string>,
): string | undefined {
  const name = ownField(entry, 'name')
  if (typeof name !== 'string') return report(reading, path, 'has an entry without a name')
  const bad = describeBadName(name)
  if (bad !== null) return report(reading, join(path, name), `has a bad name (${bad})`)
  return taken.has(name) ? report(reading, join(path, name), 'is there twice') : name
}

function readNode(reading: Reading, raw: unknown, path: string, depth: number): unknown {
  const type = nodeType(raw, reading.namespace)
  switch (type) {
    case 'file':
      return readFile(reading, raw, path)
    case 'subfs':
      return readSubfs(reading, raw, path)
    case 'directory': {
      if (depth > directoryDepthMax) {
        return report(reading, path, `is more than ${directoryDepthMax} directories deep`)
      }
      const into = emptyDirectory()
      reading.waiting.push({ raw, into, path, depth })
      return into
    }
    case null:
      return report(reading, path, 'is neither file, directory nor subfs')
  }
}

function readSubfs(reading: Reading, raw: unknown, path: string): unknown {
  const subject = ownField(raw, 'subject')
  if (typeof subject === 'string' && subject.length > subjectCharsMax) {
    return report(reading, path, `has a subject of more than ${subjectCharsMax} characters`)
  }
  return { $type: ownNamespace.nodes.subfs, ...ownFields(raw, ['type', 'subject', 'flat']) }
}

function readFile(reading: Reading, raw: unknown, path: string): unknown {
  if (ownField(raw, 'entries') !== undefined) return report(reading, path, 'is a file with entries')
  const read = readBlobRef(ownField(raw, 'blob'))
  if (!read.ok) return report(reading, path, read.problem)
  const fields = ownFields(raw, ['type', 'encoding', 'mimeType', 'base64'])
  const { mimeType } = fields
  // Dropped, because all parts of a site are in memory at once; visitors get an unknown type either way.
  if (typeof mimeType === 'string' && mimeType.length > mediaTypeCharsMax) {
    fields['mimeType'] = 'application/octet-stream'
  }
  return { $type: ownNamespace.nodes.file, ...fields, blob: read.blob }
}

/** By `type`. A `$type` must not contradict it; some writers derive it from the record that contains the node. */
function nodeType(raw: unknown, { fs, subfs }: Namespace): 'file' | 'directory' | 'subfs' | null {
  const type = ownField(raw, 'type')
  if (type !== 'file' && type !== 'directory' && type !== 'subfs') return null
  const $type = ownField(raw, '$type')
  const fits = [undefined, `${fs}#${type}`, `${subfs}#${type}`]
  return fits.some((known) => known === $type) ? type : null
}

function emptyDirectory(): PlainDirectory {
  return { $type: ownNamespace.nodes.directory, type: 'directory', entries: [] }
}

function report(reading: Reading, path: string, problem: string): undefined {
  reading.problems.push(`${path === '' ? 'the root' : quote(path)} ${problem}`)
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`
}
