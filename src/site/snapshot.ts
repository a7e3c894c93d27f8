import type { Coding } from './encoding.ts'
import { parseSitePath } from './path.ts'
import { type Did, parseDid } from './site-address.ts'
import { parseSiteName, type SiteName } from './site-name.ts'

/**
 * What the edge knows of one version of a site: enough to answer for every path, without the bytes. It
 * says nothing of the commit it was read at: the same version seen again is the same snapshot.
 */
export interface Snapshot {
  readonly did: Did
  readonly name: SiteName
  /** CID of the manifest record. */
  readonly recordCid: string
  /** Milliseconds since the epoch. */
  readonly publishedAt: number
  /** By path. Strings and not `SitePath`, because visitors' paths are looked up as they come. */
  readonly files: ReadonlyMap<string, SnapshotFile>
}

export interface SnapshotFile {
  /** CID of the blob in the owner's repository. */
  readonly cid: string
  /** Key in our blob store: SHA-256 of the stored bytes, in hexadecimal. */
  readonly hash: string
  /** How the stored bytes hold the content. */
  readonly coding: Coding
  readonly storedBytes: number
  /** Of the decoded content. */
  readonly bytes: number
  /** Sent to visitors as it is. */
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

/** Compact JSON, the files in their order; `decodeSnapshot` reads it. */
export function encodeSnapshot(snapshot: Snapshot): string {
  const { did, name, recordCid, publishedAt, files } = snapshot
  const rows = Array.from(files, ([path, file]) => {
    return [path, file.cid, file.hash, file.coding, file.storedBytes, file.bytes, file.contentType]
  })
  return JSON.stringify({ format, did, name, recordCid, publishedAt, files: rows })
}

/** Throws SnapshotFormatError for a text that is damaged or of another format. */
export function decodeSnapshot(text: string): Snapshot {
  const stored = parseObject(text)
  if (stored['format'] !== format) throw new SnapshotFormatError('unknown format')
  if (!Array.isArray(stored['files'])) throw new SnapshotFormatError('no files')
  return {
    did: parseDid(string(stored['did'])) ?? fail('bad did'),
    name: parseSiteName(string(stored['name'])) ?? fail('bad name'),
    recordCid: string(stored['recordCid']),
    publishedAt: count(stored['publishedAt']),
    files: new Map(stored['files'].map(decodeFile)),
  }
}

/** Goes up with every change of the stored form; a snapshot of another number is made anew. */
const format = 1

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
  return typeof value === 'string' ? value : fail('text expected')
}

function count(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : fail('count expected')
}

function fail(detail: string): never {
  throw new SnapshotFormatError(detail)
}
