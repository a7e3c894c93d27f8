import { rawCid } from '#atproto/repo/raw-cid.ts'
import { piecesOf } from '#blobs/pieces-of.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { decodeSnapshot, type SnapshotFile, SnapshotFormatError } from '#site/visit/snapshot.ts'
import { findLiveSnapshot } from '#store/sites/versions.ts'
import type { SyncContext } from './sync-account.ts'

const blobsAtOnce = 4

export interface Stored {
  readonly files: ReadonlyMap<string, SnapshotFile>
  readonly isReadable: boolean
  /** By hash: what is wrong with the blob, in words. */
  readonly bad: ReadonlyMap<string, string>
}

/** What reading stored bytes takes. */
interface ReadContext {
  readonly blobs: Pick<SyncContext['blobs'], 'open'>
}

/** The stored files of the live version, and those of them whose bytes are damaged. Reads all of them. */
export async function readStored(
  site: SiteAddress,
  context: Pick<SyncContext, 'db' | 'signal'> & ReadContext,
): Promise<Stored> {
  return await readSnapshot(await findLiveSnapshot(context.db, site), context)
}

/** The same for any snapshot; null: there is none. */
export async function readSnapshot(
  text: string | null,
  context: Pick<SyncContext, 'signal'> & ReadContext,
): Promise<Stored> {
  if (text === null) return { files: new Map(), isReadable: true, bad: new Map() }
  try {
    const { files } = decodeSnapshot(text)
    return { files, isReadable: true, bad: await badBlobs(files.values(), context) }
  } catch (error) {
    if (!(error instanceof SnapshotFormatError)) throw error
    return { files: new Map(), isReadable: false, bad: new Map() }
  }
}

/** The blobs whose stored bytes do not match their hash, or are not the blob that the owner's record names. */
async function badBlobs(
  files: Iterable<SnapshotFile>,
  { blobs, signal }: ReadContext & Pick<SyncContext, 'signal'>,
): Promise<Map<string, string>> {
  const byHash = [...Map.groupBy(files, ({ hash }) => hash)]
  const bad = new Map<string, string>()
  await mapAtOnce(byHash, { atOnce: blobsAtOnce, signal }, async ([hash, uses]) => {
    const stored = await blobs.open(hash)
    // In a repository the blob has these bytes, or their base64, which ingest decodes.
    const cids = stored && [rawCid(Buffer.from(hash, 'hex')), rawCid(await base64Digest(stored))]
    if (cids === null) bad.set(hash, 'its bytes are missing or damaged')
    else if (!uses.every(({ cid }) => cids.includes(cid))) {
      bad.set(hash, 'its bytes are not those of the blob that the record names')
    }
  })
  return bad
}

async function base64Digest(stored: Blob): Promise<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const piece of piecesOf(stored)) hasher.update(Buffer.from(piece).toString('base64'))
  return hasher.digest()
}

export interface Finding {
  /** What was wrong, in words. */
  readonly what: string
  readonly isRepaired: boolean
}

export const repaired = (what: string): Finding => ({ what, isRepaired: true })
export const wrong = (what: string): Finding => ({ what, isRepaired: false })

/** What was wrong with a version, by its name; left out: with the live one. */
export function storedFindings(before: Stored, after: Stored, name?: string): Finding[] {
  const damaged = [...before.files].flatMap(([path, { hash }]) => {
    const problem = before.bad.get(hash)
    if (problem === undefined) return []
    const isRepaired = after.isReadable && !after.bad.has(hash)
    const where = name === undefined ? '' : `${name}, `
    return [{ what: `${where}${JSON.stringify(path)}: ${problem}`, isRepaired }]
  })
  if (before.isReadable) return damaged
  const what = `the snapshot of ${name ?? 'the live version'} cannot be read`
  return [{ what, isRepaired: after.isReadable }]
}
