import type { Identity } from '#atproto/identity/identity.ts'
import type { CommitRecords } from '#atproto/repo/commit-records.ts'
import type { RecentBlocks } from '#atproto/repo/recent-blocks.ts'
import { readVerifiedRecord, type VerifiedRecord } from '#atproto/repo/verified-record.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { expandedEntriesMax, sitePartsBytesMax } from '#site/limits.ts'
import { type Namespace, ownNamespace } from '#site/namespace.ts'
import type { SitePath } from '#site/path.ts'
import { entriesIn, expandTree } from '#site/record/expand.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import { type PartUri, parsePart } from '#site/record/part.ts'
import type { KnownPart, RecentTrees } from './recent-trees.ts'

const partsAtOnce = 4

export type FilesResult =
  | { readonly ok: true; readonly files: ReadonlyMap<SitePath, FileNode> }
  | { readonly ok: false; readonly problems: readonly string[] }

/** A part is not in the repository: not written yet, or the site is being replaced. */
export class PartMissingError extends Error {
  override readonly name = 'PartMissingError'
  readonly uri: PartUri

  constructor(uri: PartUri) {
    super(`part missing; uri=${uri}`)
    this.uri = uri
  }
}

export interface ReadContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
  /** Left out: blocks of a repository are read for each site and version. */
  readonly recentBlocks?: RecentBlocks
  /** Left out: parts are parsed for each site and version. */
  readonly recentTrees?: RecentTrees
}

/** The record of each part, and the repository's revision when it was read. */
export type PartVersions = ReadonlyMap<PartUri, { readonly cid: string; readonly rev: string }>

/**
 * The files of a site, including those of its parts; reads each part once, with its proof: that of `commit`, where the
 * server sends its blocks. An error in a part is a problem of the version. Throws PartMissingError for a missing part;
 * the caller retries.
 */
export async function readFiles(
  root: Directory,
  commit: CommitRecords,
  identity: Identity,
  context: ReadContext,
  namespace: Namespace = ownNamespace,
): Promise<{ result: FilesResult; parts: PartVersions }> {
  const { rev, treeCid } = commit
  const { did } = identity
  const known = context.recentTrees?.files(did, treeCid, root, namespace)
  if (known !== undefined) {
    const parts = new Map(Array.from(known.parts, ([uri, cid]) => [uri, { cid, rev }]))
    return { result: { ok: true, files: known.files }, parts }
  }
  const read: ReadParts = { namespace, roots: new Map(), versions: new Map(), bytes: 0, entries: 0 }
  for (;;) {
    const expanded = expandTree(root, did, read.roots, namespace)
    if (expanded.ok || expanded.missing.length === 0) {
      const parts = read.versions
      // Parts that were read alone may be of a later commit.
      if (expanded.ok && parts.values().every((part) => part.rev === rev)) {
        const cids = new Map(Array.from(parts, ([uri, { cid }]) => [uri, cid]))
        const files = { files: expanded.files, parts: cids }
        context.recentTrees?.keepFiles(did, treeCid, root, files, namespace)
      }
      return { result: expanded, parts }
    }
    const problems = await readParts(expanded.missing, read, commit, identity, context)
    if (problems.length > 0) return { result: { ok: false, problems }, parts: read.versions }
  }
}

interface ReadParts {
  readonly namespace: Namespace
  readonly roots: Map<PartUri, Directory>
  readonly versions: Map<PartUri, { readonly cid: string; readonly rev: string }>
  /** Totals of all parts so far: they stay in memory until the last part has arrived, from a server that may be slow. */
  bytes: number
  entries: number
}

function tooMuchOf({ bytes, entries }: ReadParts): string[] | null {
  if (entries > expandedEntriesMax) return [`the site has over ${expandedEntriesMax} entries`]
  return bytes > sitePartsBytesMax
    ? [`the parts have more than ${sitePartsBytesMax} bytes together`]
    : null
}

async function readParts(
  uris: readonly PartUri[],
  read: ReadParts,
  commit: CommitRecords,
  identity: Identity,
  { fetch, recentTrees, signal }: ReadContext,
): Promise<string[]> {
  const { did } = identity
  const keys = uris.map((uri) => {
    const rkey = uri.slice(uri.lastIndexOf('/') + 1)
    return { uri, did, collection: read.namespace.subfs, rkey }
  })
  const { namespace } = read
  const keep = (cid: string, part: KnownPart): void =>
    recentTrees?.keepPart(did, cid, part, namespace)
  const alone: (typeof keys)[number][] = []
  const problems: string[] = []
  const yieldWhenDue = timeSlices()
  const unknown = new Set(keys)
  for (const [key, cid] of recentTrees === undefined ? [] : await commit.cidsOf(keys)) {
    const part = recentTrees?.part(did, cid, namespace)
    if (part === undefined) continue
    addPart(key.uri, { ...part, cid, rev: commit.rev }, read)
    unknown.delete(key)
  }
  for await (const [key, answer] of commit.read([...unknown])) {
    if (answer === null) alone.push(key)
    else problems.push(...readPart(key.uri, answer, read, keep))
    if (problems.length > 0 || tooMuchOf(read) !== null) break
    await yieldWhenDue()
  }
  const ofOthers = await mapAtOnce(alone, { atOnce: partsAtOnce, signal }, async (key, signal) => {
    if (tooMuchOf(read) !== null) return []
    const answer = await readVerifiedRecord(key, identity, fetch, signal)
    return readPart(key.uri, answer, read, keep)
  })
  return tooMuchOf(read) ?? [...problems, ...ofOthers.flat()]
}

/** Returns the problems. */
function readPart(
  uri: PartUri,
  answer: VerifiedRecord,
  read: ReadParts,
  keep: (cid: string, part: KnownPart) => void,
): string[] {
  if (!answer.found) throw new PartMissingError(uri)
  const { bytes, cid, rev } = answer
  const parsed = answer.problem === null ? parsePart(answer.record, read.namespace) : null
  if (parsed?.ok) {
    const { root } = parsed.part
    keep(cid, { root, bytes })
    addPart(uri, { root, bytes, cid, rev }, read)
    return []
  }
  read.versions.set(uri, { cid, rev })
  read.bytes += bytes
  const problems = parsed === null ? [String(answer.problem)] : parsed.problems
  return problems.map((problem) => `the part ${uri}: ${problem}`)
}

function addPart(
  uri: PartUri,
  { root, bytes, cid, rev }: KnownPart & { readonly cid: string; readonly rev: string },
  read: ReadParts,
): void {
  read.versions.set(uri, { cid, rev })
  read.bytes += bytes
  read.roots.set(uri, root)
  read.entries += entriesIn(root)
}
