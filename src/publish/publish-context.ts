import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { Lane } from '#concurrency/lane.ts'
import type { SpoolFolder } from '#publish/upload/spool-folder.ts'
import type { Db } from '#store/database/database.ts'
import type { JobProgress } from '#store/queues/jobs.ts'
import type { AtFailPoint } from './fail-points.ts'

export interface PublishContext {
  readonly repo: AccountRepo
  /** Host of the account's server. */
  readonly host: string
  readonly folder: SpoolFolder
  readonly blobs: BlobStore
  readonly db: Db
  readonly now: () => number
  readonly signal: AbortSignal
  /** Takes up room but while files are sent. */
  readonly lane: Pick<Lane, 'mayGoAside' | 'stay'>
  /** When the job's first turn began. */
  readonly startedAt: number
  /** What its earlier turns have sent. */
  readonly sentBefore: SentBefore
  /** CID of the record that the site had at its first look, null for none; undefined: this is it. */
  readonly replaces: string | null | undefined
  readonly onFirstLook: (replaces: string | null) => void
  readonly onProgress: (progress: JobProgress) => void
  /** Called right before the commit; throws when the job was cancelled. */
  readonly beginWriting: () => Promise<void>
  readonly at: AtFailPoint
}

export type SentBefore = Pick<JobProgress, 'filesUploaded' | 'bytesUploaded'>
