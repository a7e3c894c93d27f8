import type { Generated } from 'kysely'
import type { Coding } from '#site/encoding.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'

/**
 * `active`, or why an account's sites are not to be shown (the words are those of
 * `com.atproto.sync`).
 */
export type AccountStatus = 'active' | 'deactivated' | 'takendown' | 'suspended' | 'deleted'

export type VersionState = 'live' | 'replaced' | 'invalid'

/** What ingest reads: one site, or an account as a whole. */
export type WorkKind = 'site' | 'account'

export type WorkPriority = 0 | 1

export type JobStatus = 'pending' | 'processing' | 'uploading' | 'completed' | 'failed'

/**
 * The tables as the migrations leave them, in camelCase (columns are snake_case). Lists and objects
 * are JSON text, booleans 0 or 1, times milliseconds: only the query functions see that.
 */
export interface Schema {
  accounts: AccountTable
  accountChecks: AccountChecksTable
  browserSessions: BrowserSessionTable
  sealedRows: SealedRowTable
  sites: SiteTable
  versions: VersionTable
  blobs: BlobTable
  jobs: JobTable
  firehoseCursors: FirehoseCursorTable
  workItems: WorkItemTable
  changes: ChangeTable
  servers: ServerTable
  uploadedBlobs: UploadedBlobTable
  garbage: GarbageTable
  garbageWalk: GarbageWalkTable
  blobScrub: BlobScrubTable
  subdomains: SubdomainTable
  keptSubdomains: KeptSubdomainTable
  grantFailures: GrantFailureTable
  customDomains: CustomDomainTable
  visitedAccounts: VisitedAccountTable
  departures: DepartureTable
  admins: AdminTable
  adminSessions: AdminSessionTable
  leases: LeaseTable
}

interface AccountTable {
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

interface AccountChecksTable {
  id: 1
  /** The number of the last one. */
  begun: number
}

interface BrowserSessionTable {
  idHash: string
  did: Did
  /** Browser and operating system, in words of ours; null: not known. */
  device: string | null
  /** The account's server and signing key when it signed in; null: the sign-in is not completed yet. */
  authority: string | null
  createdAt: number
  seenAt: number
  expiresAt: number
}

interface GrantFailureTable {
  did: Did
  /** When its server first did not confirm the grant; it never has since then. */
  since: number
  /** When the last try that counts was made. */
  askedAt: number
  tries: number
}

interface SealedRowTable {
  kind: string
  key: string
  sealed: string
  expiresAt: number | null
}

interface SiteTable {
  did: Did
  name: SiteName
  /** Null while all we know of the site is that it was removed. */
  label: string | null
  liveVersionId: string | null
  removedRev: string | null
  /** CID of the record that withdraws the versions before it; null: none is awaited. */
  withdrawWith: string | null
  createdAt: number
  updatedAt: number
}

interface VersionTable {
  id: string
  did: Did
  name: SiteName
  recordCid: string
  rev: string
  state: VersionState
  problems: string
  snapshot: string | null
  fileCount: number
  bytes: number
  publishedAt: number
  seenAt: number
  replacedAt: number | null
}

interface BlobTable {
  cid: string
  coding: Coding
  base64: 0 | 1
  hash: string
  storedBytes: number
  decodedHash: string
  decodedBytes: number
  createdAt: number
}

interface JobTable {
  id: string
  did: Did
  site: SiteName
  status: JobStatus
  progress: string
  result: string | null
  error: string | null
  plan: string
  /** CID of the record that the site had when the job first looked; '': none; null: it has not yet. */
  expectedCid: Generated<string | null>
  createdAt: number
  updatedAt: number
  /** When its next attempt may begin; null: at once. */
  dueAt: number | null
  /** When its first attempt began. */
  startedAt: number | null
  /** When it began to write to the owner's repository. */
  writingAt: number | null
  finishedAt: number | null
}

interface FirehoseCursorTable {
  source: string
  cursor: number
  updatedAt: number
}

interface WorkItemTable {
  kind: WorkKind
  did: Did
  /** Empty: the account as a whole. */
  site: SiteName | ''
  /** 1: something happened to just this account. Sites have 0. */
  priority: WorkPriority
  enqueuedAt: number
  attempts: number
  nextAttemptAt: number
  /** Nobody else may take the row before. */
  leasedUntil: number
  lastError: string | null
  token: string
  /** Where a site waits for its server's share of the lanes; empty: it waits for nobody in particular. */
  line: string
  /** Events make it due no earlier. */
  notBefore: number
}

interface ChangeTable {
  seq: Generated<number>
  kind: 'site' | 'host'
  /** Of a site: its own host's. */
  label: string | null
  host: string | null
  createdAt: number
}

interface ServerTable {
  host: string
  sniffsGzip: 0 | 1
  updatedAt: number
}

interface UploadedBlobTable {
  did: Did
  decodedHash: string
  /** A BlobRef. */
  blob: string
  coding: Coding
  base64: 0 | 1
  uploadedAt: number
}

interface SubdomainTable {
  /** With the base domain. */
  domain: string
  did: Did
  /** Its name; null: unmapped. */
  site: SiteName | null
  isPrimary: Generated<0 | 1>
  createdAt: number
  updatedAt: number
}

interface KeptSubdomainTable {
  /** With the base domain. */
  domain: string
  /** SHA-256 of the DID of who had it last: it may have left. */
  didHash: string
  releasedAt: number
}

interface CustomDomainTable {
  id: string
  did: Did
  /** In A-labels, lower case. */
  domain: string
  verified: 0 | 1
  /** Its name; null: unmapped. */
  site: SiteName | null
  isPrimary: Generated<0 | 1>
  /** When the look-up began that last found the owner's proof. */
  confirmedAt: number | null
  /** When a look-up was last answered. */
  checkedAt: number | null
  nextCheckAt: number
  /** How often in a row the proof was not there, and since when. */
  misses: number
  missingSince: number | null
  /** Sentences for the owner. */
  ownershipWarning: string | null
  pointingWarning: string | null
  createdAt: number
  updatedAt: number
}

interface GarbageTable {
  /** Key of a blob in the blob store. */
  hash: string
  /** When it was first seen that no snapshot names it. */
  since: number
}

interface BlobScrubTable {
  id: 1
  begunAt: number
  /** Hashes up to this one have been read. */
  afterHash: string
}

interface GarbageWalkTable {
  id: 1
  /** Hashes up to this one have been checked. */
  afterHash: string
}

interface VisitedAccountTable {
  did: Did
  visitedAt: number
  /** Null: it is here. */
  droppedAt: number | null
  droppedBytes: number
}

interface DepartureTable {
  /** SHA-256 of the DID. */
  didHash: string
  /** Null once nothing is left to be done. */
  did: Did | null
  leftAt: number
  /** How often it was tried to do what is left. */
  attempts: number
  nextAttemptAt: number
}

interface AdminTable {
  id: string
  name: string
  passwordHash: string
  createdAt: number
}

interface AdminSessionTable {
  idHash: string
  adminId: string
  createdAt: number
  seenAt: number
  expiresAt: number
}

interface LeaseTable {
  /** What only one process may do at a time. */
  name: string
  /** A random id of who does it. */
  holder: string
  /** Nobody else may before. */
  leasedUntil: number
}
