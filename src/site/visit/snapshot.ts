import type { Coding } from '#site/encoding.ts'
import { snapshotBytesMax } from '#site/limits.ts'
import { parseSitePath } from '#site/path.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { parseAnySiteName, type SiteName } from '#site/site-name.ts'
import { runAtOnce, type Steps } from '#site/steps.ts'

/**
 * What the edge reads of one version: enough to answer for every path, without the bytes. Does not contain the
 * commit that it was read at: the same version read again gives the same snapshot.
 */
export interface Snapshot {
  readonly did: Did
  readonly name: SiteName
  /** CID of the manifest record. */
  readonly recordCid: string
  /** Milliseconds since the epoch. */
  readonly publishedAt: number
  /** From the owner's record; null if it is absent or unreadable. */
  readonly settings: SiteSettings | null
  /** Contents of the root's `_redirects` and `_headers`, at most 256 KiB each; empty if absent. */
  readonly redirects: string
  readonly headers: string
  /** By path. Not `SitePath`, because visitors' paths are looked up unparsed. */
  readonly files: ReadonlyMap<string, SnapshotFile>
}

export interface SnapshotFile {
  /** CID of the blob in the owner's repository. */
  readonly cid: string
  /** Key in our blob store: SHA-256 of the stored bytes, in hexadecimal. */
  readonly hash: string
  readonly coding: Coding
  readonly storedBytes: number
  /** Of the decoded content. */
  readonly bytes: number
  /** Sent to visitors unchanged. */
  readonly contentType: string
}

/** A stored snapshot that cannot be read: damaged, or written by another version of this program. */
export class SnapshotFormatError extends Error {
  override readonly name = 'SnapshotFormatError'
  readonly detail: string
  constructor(detail: string, options?: ErrorOptions) {
    super(`not a snapshot; ${detail}`, options)
    this.detail = detail
  }
}

/** Compact JSON, files in their order. */
export function encodeSnapshot(snapshot: Snapshot): string {
  const { did, name, recordCid, publishedAt, settings, redirects, headers } = snapshot
  const files = Array.from(snapshot.files, ([path, file]) => {
    return [path, file.cid, file.hash, file.coding, file.storedBytes, file.bytes, file.contentType]
  })
  const facts = { did, name, recordCid, publishedAt, settings, redirects, headers }
  return JSON.stringify({ format, ...facts, files })
}

/** Why a version with this encoded snapshot does not go live, for its owner; null if it has at most `snapshotBytesMax`. */
export function snapshotSizeProblem(encoded: string): string | null {
  const bytes = Buffer.byteLength(encoded)
  if (bytes <= snapshotBytesMax) return null
  return `its file names, settings and rules have ${bytes} bytes together; the limit is ${snapshotBytesMax}`
}

/** Also reads format 1, without settings and rules, so that live sites survive upgrades. Throws SnapshotFormatError. */
export const decodeSnapshot = (text: string): Snapshot => runAtOnce(decodeSnapshotSteps(text))

/** As `decodeSnapshot`, in steps: 10 000 files take 10 to 30 ms, of which the parser has 3, in the first one. */
export function* decodeSnapshotSteps(text: string): Steps<Snapshot> {
  const stored = parseStored(text)
  yield
  const files = new Map<string, SnapshotFile>()
  for (const row of stored.files) {
    files.set(...decodeFile(row))
    if (files.size % filesPerStep === 0) yield
  }
  return {
    did: parseDid(string(stored['did'])) ?? fail('bad did'),
    name: parseAnySiteName(string(stored['name'])) ?? fail('bad name'),
    recordCid: string(stored['recordCid']),
    publishedAt: count(stored['publishedAt']),
    settings: decodeSettings(stored['settings']),
    redirects: string(stored['redirects']),
    headers: string(stored['headers']),
    files,
  }
}

/** Only the files at wanted paths; decoding all takes several times as long as parsing them. Throws SnapshotFormatError. */
export function decodeFiles(text: string, isWanted: (path: string) => boolean): Snapshot['files'] {
  const isOfWanted = (row: unknown): boolean =>
    Array.isArray(row) && typeof row[0] === 'string' && isWanted(row[0])
  return new Map(parseStored(text).files.filter(isOfWanted).map(decodeFile))
}

function parseStored(text: string): Readonly<Record<string, unknown>> & { files: unknown[] } {
  const parsed = parseObject(text)
  const stored = parsed['format'] === 1 ? { ...parsed, ...withoutRules, format } : parsed
  if (stored['format'] !== format) throw new SnapshotFormatError('unknown format')
  const { files } = stored
  if (!Array.isArray(files)) throw new SnapshotFormatError('no files')
  return { ...stored, files }
}

const filesPerStep = 100

/** Increment when the stored form changes or `parseSettings` becomes stricter. */
const format = 2

const withoutRules = { settings: null, redirects: '', headers: '' }

function decodeSettings(stored: unknown): SiteSettings | null {
  if (stored === null) return null
  const parsed = parseSettings(stored)
  return parsed.ok ? parsed.settings : fail('bad settings')
}

function decodeFile(row: unknown): [string, SnapshotFile] {
  if (!Array.isArray(row)) return fail('bad file')
  const [path, cid, hash, coding, storedBytes, bytes, contentType] = row as unknown[]
  return [
    parseSitePath(string(path)) ?? fail('bad path'),
    {
      cid: string(cid),
      hash: string(hash),
      coding: coding === 'gzip' || coding === 'identity' ? coding : fail('bad coding'),
      storedBytes: count(storedBytes),
      bytes: count(bytes),
      contentType: string(contentType),
    },
  ]
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new SnapshotFormatError('not JSON', { cause })
  }
  return typeof value === 'object' && value !== null ? { ...value } : fail('not an object')
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : fail('string expected')
}

function count(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : fail('count expected')
}

function fail(detail: string): never {
  throw new SnapshotFormatError(detail)
}
