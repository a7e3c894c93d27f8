import type { Identity } from '#atproto/identity/identity.ts'
import type { CommitRecords } from '#atproto/repo/commit-records.ts'
import type { RecentBlocks } from '#atproto/repo/recent-blocks.ts'
import { readVerifiedRecord, type VerifiedRecord } from '#atproto/repo/verified-record.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { expandedEntriesMax, sitePartsBytesMax } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import { entriesIn, expandTree } from '#site/record/expand.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import { type PartUri, parsePart } from '#site/record/part.ts'

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
): Promise<{ result: FilesResult; parts: PartVersions }> {
  const read: ReadParts = { roots: new Map(), versions: new Map(), bytes: 0, entries: 0 }
  for (;;) {
    const expanded = expandTree(root, identity.did, read.roots)
    if (expanded.ok || expanded.missing.length === 0) {
      return { result: expanded, parts: read.versions }
    }
    const problems = await readParts(expanded.missing, read, commit, identity, context)
    if (problems.length > 0) return { result: { ok: false, problems }, parts: read.versions }
  }
}

interface ReadParts {
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
  { fetch, signal }: ReadContext,
): Promise<string[]> {
  const keys = uris.map((uri) => {
    const rkey = uri.slice(uri.lastIndexOf('/') + 1)
    return { uri, did: identity.did, collection: 'place.sitehost.subfs', rkey }
  })
  const alone: (typeof keys)[number][] = []
  const problems: string[] = []
  const yieldWhenDue = timeSlices()
  for await (const [key, answer] of commit.read(keys)) {
    if (answer === null) alone.push(key)
    else problems.push(...readPart(key.uri, answer, read))
    if (problems.length > 0 || tooMuchOf(read) !== null) break
    await yieldWhenDue()
  }
  const ofOthers = await mapAtOnce(alone, { atOnce: partsAtOnce, signal }, async (key, signal) => {
    if (tooMuchOf(read) !== null) return []
    return readPart(key.uri, await readVerifiedRecord(key, identity, fetch, signal), read)
  })
  return tooMuchOf(read) ?? [...problems, ...ofOthers.flat()]
}

/** Returns the problems. */
function readPart(uri: PartUri, answer: VerifiedRecord, read: ReadParts): string[] {
  if (!answer.found) throw new PartMissingError(uri)
  const { cid, rev } = answer
  read.versions.set(uri, { cid, rev })
  read.bytes += answer.bytes
  if (answer.problem !== null) return [`the part ${uri}: ${answer.problem}`]
  const parsed = parsePart(answer.record)
  if (!parsed.ok) return parsed.problems.map((problem) => `the part ${uri}: ${problem}`)
  read.roots.set(uri, parsed.part.root)
  read.entries += entriesIn(parsed.part.root)
  return []
}
