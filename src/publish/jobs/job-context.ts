import type { Identities } from '#atproto/identity/identity.ts'
import type { OAuth } from '#atproto/oauth/oauth.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { Log } from '#observe/log.ts'
import type { Spans } from '#observe/spans.ts'
import type { AtFailPoint } from '#publish/fail-points.ts'
import type { RecentRepositories } from '#publish/repository/recent-repositories.ts'
import type { Pause } from '#publish/server-patience.ts'
import type { Spool } from '#publish/upload/spool.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'

export interface JobContext {
  readonly db: Db
  readonly spool: Spool
  readonly blobs: BlobStore
  readonly oauth: Pick<OAuth, 'scopeOf' | 'session'>
  readonly identities: Pick<Identities, 'resolve'>
  readonly wakeUps: WakeUps
  readonly log: Log
  /** Traces of publishing; left out: none. */
  readonly spans?: Spans
  readonly siteUrl: (address: SiteAddress) => string
  /** The address of a label below the base domain. */
  readonly labelUrl: (label: string) => string
  readonly now: () => number
  /** Before calls to an account's server are retried; left out: a timer. */
  readonly pause?: Pause
  readonly at: AtFailPoint
  /** Left out: repositories are read each time. */
  readonly recentRepositories?: RecentRepositories
  /** Of a site; left out: `siteFilesMax`. */
  readonly filesMax?: number
  /** Called when a job has ended and its deploy is open again. */
  readonly onDeployReopened?: (id: string) => Promise<void>
  /** Milliseconds that no change of the clock touches. */
  readonly elapsed?: () => number
  readonly slowAfterMs?: number
  /** Before the queue is read again after the database was unavailable. */
  readonly databasePauseMs?: number
  /** Time limit of a job, from its first attempt on. */
  readonly jobMsMax?: number
}
