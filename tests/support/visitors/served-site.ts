import { type Did, type SiteAddress, siteLabel } from '#site/site-address.ts'
import { encodeSnapshot, type Snapshot, type SnapshotFile } from '#site/visit/snapshot.ts'
import { isKnownAccount, upsertAccount } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'

/** One file of a site as a test writes it. */
export interface SampleFile {
  readonly body: Uint8Array<ArrayBuffer> | string
  readonly contentType?: string
  /** Stored compressed. */
  readonly gzip?: boolean
}

/** The snapshot's entry for a file, and what the blob store holds for it. */
export function storedFile({ body, contentType = 'text/html; charset=utf-8', gzip }: SampleFile): {
  file: SnapshotFile
  stored: Uint8Array<ArrayBuffer>
} {
  const bytes = typeof body === 'string' ? new Uint8Array(Buffer.from(body)) : body
  const stored = gzip ? Bun.gzipSync(bytes) : bytes
  const hash = new Bun.CryptoHasher('sha256').update(stored).digest('hex')
  const coding = gzip ? 'gzip' : 'identity'
  const sizes = { storedBytes: stored.length, bytes: bytes.length }
  return { file: { cid: `cid${hash.slice(0, 8)}`, hash, coding, ...sizes, contentType }, stored }
}

export function snapshotOf(
  files: Readonly<Record<string, SnapshotFile>>,
  facts: Partial<Snapshot> = {},
): Snapshot {
  return {
    ...siteOf('blog'),
    recordCid: 'cid-of-the-record',
    publishedAt: Date.UTC(2030, 0, 1),
    settings: null,
    redirects: '',
    headers: '',
    files: new Map(Object.entries(files)),
    ...facts,
  }
}

/** Makes this version live, as ingest does; its account is known from then on. Returns the site's label. */
export async function goLive(
  db: Db,
  snapshot: Snapshot,
  rev = '3kaaaaaaaaaa2',
  now = snapshot.publishedAt,
): Promise<string> {
  const site: SiteAddress & { did: Did } = { did: snapshot.did, name: snapshot.name }
  const label = siteLabel(site)
  const { recordCid, publishedAt } = snapshot
  const text = encodeSnapshot(snapshot)
  const counts = { problems: [], fileCount: snapshot.files.size, bytes: 0 }
  if (!(await isKnownAccount(db, site.did))) await upsertAccount(db, { did: site.did }, now)
  await recordVersion(
    db,
    { site, label, recordCid, rev, publishedAt, snapshot: text, filesDigest: null, ...counts },
    now,
  )
  return label
}
