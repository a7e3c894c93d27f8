import { type Did, parseDid, type SiteAddress } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'
import type { NewDeployToken } from '#store/accounts/deploy-tokens.ts'
import type { NewDeploy } from '#store/queues/deploys.ts'
import type { JobProgress, NewJob } from '#store/queues/jobs.ts'
import type { NewVersion } from '#store/sites/record-version.ts'
import type { NewVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import type { NewWebhook } from '#store/webhooks/webhooks.ts'

// What the tests of this room fill their tables with.

export const alice = didOf('did:plc:aaaaaaaaaaaaaaaaaaaaaaaa')
export const bob = didOf('did:plc:bbbbbbbbbbbbbbbbbbbbbbbb')

/** One of many. */
export function accountOf(n: number): Did {
  const letters = String(n).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))
  return didOf(`did:plc:${letters.padStart(24, 'z')}`)
}

export function nameOf(text: string): SiteName {
  const name = parseSiteName(text)
  if (name === null) throw new TypeError(`not a site name: ${text}`)
  return name
}

export function siteOf(name: string, did: Did = alice): SiteAddress {
  return { did, name: nameOf(name) }
}

export function newVersion(facts: Partial<NewVersion> = {}): NewVersion {
  return {
    site: siteOf('blog'),
    label: 's--blog',
    recordCid: 'cid-1',
    rev: '3kaaaaaaaaaa2',
    snapshot: '{"files":[]}',
    problems: [],
    fileCount: 2,
    bytes: 1000,
    publishedAt: 1,
    filesDigest: null,
    ...facts,
  }
}

/** The key of the n-th version record. */
export function versionKeyOf(n: number): VersionKey {
  const alphabet = '234567abcdefghijklmnopqrstuvwxyz'
  const digits = n.toString(32).replace(/./g, (digit) => alphabet.charAt(parseInt(digit, 32)))
  const key = parseVersionKey(digits.padStart(13, '2'))
  if (key === null) throw new TypeError(`not a version key: ${n}`)
  return key
}

/** The n-th version record. */
export function newVersionRecord(
  n: number,
  facts: Partial<NewVersionRecord> = {},
): NewVersionRecord {
  return {
    did: alice,
    key: versionKeyOf(n),
    site: nameOf('blog'),
    cid: `cid ${n}`,
    rev: '1',
    label: `v--${n}`,
    manifest: `manifest ${n}`,
    alias: null,
    message: null,
    source: null,
    pinned: false,
    createdAt: n,
    expiresAt: null,
    fileCount: 2,
    bytes: 1000,
    filesDigest: `digest ${n}`,
    problems: [],
    snapshot: `snapshot ${n}`,
    ...facts,
  }
}

/** Rows of sites that their owner has removed. */
export function removedSites(count: number, did: Did = alice) {
  return Array.from({ length: count }, (_, n) => ({
    ...siteOf(`removed-${n}`, did),
    ...{ label: null, liveVersionId: null, removedRev: '3jzzzzzzzzzzz' },
    ...{ withdrawWith: null, createdAt: 1, updatedAt: 1 },
  }))
}

export const progress: JobProgress = {
  phase: 'validating',
  totalFiles: 3,
  filesProcessed: 0,
  filesUploaded: 0,
  filesReused: 0,
  bytesTotal: 300,
  bytesUploaded: 0,
  currentFile: null,
}

export function newJob(facts: Partial<NewJob> = {}): NewJob {
  return {
    id: crypto.randomUUID(),
    did: alice,
    site: nameOf('blog'),
    progress,
    plan: 'plan',
    ...facts,
  }
}

export function newDeploy(facts: Partial<NewDeploy> = {}): NewDeploy {
  return {
    id: crypto.randomUUID(),
    did: alice,
    site: nameOf('blog'),
    plan: '{"files":[],"skippedFiles":[],"base":null}',
    bytes: 0,
    isPreview: 0,
    expiresAt: 1_000,
    ...facts,
  }
}

function didOf(text: string): Did {
  const did = parseDid(text)
  if (did === null) throw new TypeError(`not a DID: ${text}`)
  return did
}

export function newToken(facts: Partial<NewDeployToken> = {}): NewDeployToken {
  return {
    id: crypto.randomUUID(),
    hash: crypto.randomUUID(),
    did: alice,
    site: nameOf('blog'),
    name: 'ci',
    scope: 'deploy',
    authority: null,
    publisherId: null,
    expiresAt: 1000,
    ...facts,
  }
}

/** Of all of alice's sites. */
export function newWebhook(facts: Partial<NewWebhook> = {}): NewWebhook {
  return {
    id: crypto.randomUUID(),
    did: alice,
    site: '',
    url: 'https://hooks.example/sitehost',
    host: 'hooks.example',
    events: ['site.published'],
    sealedSecret: 'sealed',
    ...facts,
  }
}
