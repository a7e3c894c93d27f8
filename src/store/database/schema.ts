import type { Generated } from 'kysely'
import type { LogMethod, Service } from '#observe/log-entry.ts'
import type { Coding } from '#site/encoding.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { DeployTables } from './tables/deploy-tables.ts'
import type { InstanceTables } from './tables/instance-tables.ts'
import type { ModerationTables } from './tables/moderation-tables.ts'
import type { NameTables } from './tables/name-tables.ts'
import type { SessionTables } from './tables/session-tables.ts'
import type { TrafficTables } from './tables/traffic-tables.ts'
import type { VersionTables } from './tables/version-tables.ts'
import type { WebhookTables } from './tables/webhook-tables.ts'

/** `active`, or why an account's sites are not to be shown, in the words of `com.atproto.sync`. */
export type AccountStatus = 'active' | 'deactivated' | 'takendown' | 'suspended' | 'deleted'

/** What ingest reads: one site, one version record, or an account as a whole. */
export type WorkKind = 'site' | 'version' | 'account'

/** Background work of which one instance at a time does each (`docs/adr/0035`). */
export type DutyName =
  | 'firehose'
  | 'blobs'
  | 'certificates'
  | 'cdn'
  | 'maintenance'
  | 'visited'
  | 'webhooks'

/** 1: an account that had an event or a request. */
export type WorkPriority = 0 | 1

export type JobStatus = 'pending' | 'processing' | 'uploading' | 'completed' | 'failed'

/**
 * The tables as the migrations leave them, in camelCase (columns are snake_case). Lists and objects
 * are JSON text, booleans 0 or 1, times milliseconds: only the query functions see that.
 */
export interface Schema
  extends DeployTables,
    InstanceTables,
    ModerationTables,
    NameTables,
    SessionTables,
    TrafficTables,
    VersionTables,
    WebhookTables {
  accounts: {
    did: Did
    handle: string | null
    pds: string | null
    /** As a multikey; null: no check has found it yet. */
    signingKey: Generated<string | null>
    status: AccountStatus
    statusSince: Generated<number>
    /** Number of the check that found the status; 0: none has. */
    lastCheck: Generated<number>
    createdAt: number
    updatedAt: number
  }
  accountChecks: {
    id: 1
    /** The number of the last one. */
    begun: number
  }
  sites: {
    did: Did
    name: SiteName
    /** Null while all we know of the site is that it was removed. */
    label: string | null
    liveVersionId: string | null
    removedRev: string | null
    /** CID of the record that withdraws the versions before it; null: none is awaited. */
    withdrawWith: string | null
    /** Revision of the newest version that has withdrawn those before it. */
    withdrawnBefore: Generated<string | null>
    createdAt: number
    updatedAt: number
  }
  blobs: {
    cid: string
    coding: Coding
    base64: 0 | 1
    hash: string
    storedBytes: number
    decodedHash: string
    decodedBytes: number
    createdAt: number
  }
  jobs: {
    id: string
    did: Did
    /** The site's name. */
    site: SiteName
    /** Whose spool has its files; empty: of the only one. */
    instance: Generated<string>
    status: JobStatus
    progress: string
    /** Of a completed job, else null. */
    result: string | null
    /** Of a failed job: a sentence that names the file or the cause. */
    error: string | null
    /** What `publish` needs to continue after a restart; a string of its own making. */
    plan: string
    /** CID of the record that the site had when the job first looked, '' for none; null: it has not yet. */
    expectedCid: Generated<string | null>
    createdAt: number
    updatedAt: number
    /** When its next attempt may begin, while it waits for its owner's server; null: at once. */
    dueAt: number | null
    /** When its first attempt began; null: none has, since the service started. */
    startedAt: number | null
    /** When it began to write to the owner's repository: from then on it cannot be cancelled. */
    writingAt: number | null
    finishedAt: number | null
    /** Of the request that began it. */
    traceId: Generated<string | null>
  }
  firehoseCursors: {
    /** Its URL. */
    source: string
    cursor: number
    updatedAt: number
  }
  logEntries: {
    id: Generated<number>
    at: number
    level: LogMethod
    service: Service
    message: string
    event: string | null
    traceId: string | null
    context: string
  }
  errorEntries: {
    /** Of the line of the log and the place in the code. */
    fingerprint: string
    service: Service
    message: string
    stack: string | null
    context: string
    count: number
    firstSeen: number
    lastSeen: number
    traceIds: string
  }
  workItems: {
    kind: WorkKind
    did: Did
    /** The key of a version record; empty: the account as a whole. */
    site: SiteName | VersionKey | ''
    priority: WorkPriority
    enqueuedAt: number
    attempts: number
    nextAttemptAt: number
    /** No other process takes the row before. */
    leasedUntil: number
    /** Of whoever took it last; null: nobody has. */
    lease: Generated<string | null>
    lastError: string | null
    token: string
    /** Where a site waits for its server's share of the lanes; empty: it waits for no server. */
    line: string
    /** Events make it due no earlier. */
    notBefore: number
    /** Of the request that enqueued it last. */
    traceId: Generated<string | null>
  }
  changes: {
    seq: Generated<number>
    kind: 'site' | 'host' | 'blobs' | 'signed-out' | 'identity' | 'events'
    /**
     * Of a site: its own host's. Of blobs: their hashes, with spaces between them. Of an account that was signed out: its
     * `didHash`. Of events: JSON.
     */
    label: string | null
    /** Of blobs: the label of the site whose they were. Of a site: again its label, if it only has a new version. */
    host: string | null
    createdAt: number
  }
  /** PostgreSQL only: changes of transactions in progress, which are numbered when these commit. */
  appendedChanges: Omit<Schema['changes'], 'seq'>
  servers: {
    host: string
    sniffsGzip: 0 | 1
    updatedAt: number
  }
  uploadedBlobs: {
    did: Did
    decodedHash: string
    /** A BlobRef. */
    blob: string
    coding: Coding
    base64: 0 | 1
    uploadedAt: number
  }
  /** Of which the account has shown the bytes. */
  receivedBlobs: {
    did: Did
    cid: string
    coding: Coding
    base64: 0 | 1
    receivedAt: number
  }
  garbage: {
    /** Key of a blob in the blob store. */
    hash: string
    /** When it was first seen that no snapshot names it. */
    since: number
  }
  garbageWalk: {
    id: 1
    /** Hashes up to this one have been checked. */
    afterHash: string
  }
  cdnPurges: {
    id: 1
    /** Of the last change of which a CDN was told what to drop. */
    seq: number
  }
  blobScrub: {
    id: 1
    begunAt: number
    /** Hashes up to this one have been read. */
    afterHash: string
  }
  visitedAccounts: {
    did: Did
    visitedAt: number
    /** Null: it is here. */
    droppedAt: number | null
    droppedBytes: number
  }
  accountDeletions: {
    didHash: string
    /** Null: the deletion is finished. */
    did: Did | null
    deletedAt: number
    /** Of finishing the deletion. */
    attempts: number
    nextAttemptAt: number
  }
  begunUploads: {
    id: Generated<number>
    didHash: string
    at: number
  }
  leases: {
    name: string
    /** A random id. */
    holder: string
    /** No other holder takes it before. */
    leasedUntil: number
  }
  duties: {
    name: DutyName
    /** A process, and a random id. */
    holder: string
    /** Grows whenever the holder changes. */
    epoch: number
    /** No other holder takes it before. */
    leasedUntil: number
  }
}
