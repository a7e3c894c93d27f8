import { ServerRefusedError } from '#outbound/server-errors.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { planWrites } from '#site/record/plan-writes.ts'
import { versionDigest } from '#site/record/version-digest.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import { versionLabel } from '#site/version-label.ts'
import {
  type CommitPlan,
  commitOnHead,
  deletion,
  linked,
  type PlannedWrite,
  type RepoContext,
  SiteConflictError,
} from './commit-on-head.ts'
import type { AtFailPoint } from './fail-points.ts'
import { refusedVersionSentence, type VersionToWrite } from './new-version.ts'
import { NotPublishableError } from './not-publishable.ts'
import { planHistory } from './plan-history.ts'
import { type RepositoryState, readRepository } from './repository/read-repository.ts'
import type { RecentRepositories } from './repository/recent-repositories.ts'
import { type SettingsChange, SiteRecords } from './site-records.ts'
import { settingsWrites } from './site-settings.ts'
import { remembering } from './state-after.ts'

/** The main record in the repository; of a preview its version record. */
export interface WrittenSite {
  readonly uri: string
  readonly cid: string
  /** The version record of this content; null: there is none. */
  readonly version: WrittenVersion | null
  /** Why there is none, for the owner; null also if the owner wants none. */
  readonly versionProblem: string | null
}

export interface WrittenVersion {
  readonly key: VersionKey
  /** Of its address. */
  readonly label: string
  /** CID of the main record that it names; null: none, because it is a preview. */
  readonly manifest: string | null
}

export interface WriteContext extends RepoContext {
  /** Left out: the repository is read. */
  readonly recentRepositories?: RecentRepositories | undefined
  readonly at: AtFailPoint
}

export interface WriteOnto {
  /** CID of the main record to replace; null for none. */
  readonly expectedCid: string | null
  /** The state of the repository, if it was just read. */
  readonly start: RepositoryState | null
}

/**
 * Writes these files as the site, with a record of the version and the changed settings in the same commit; of a preview only that record. When
 * the server does not accept the record, the site is published without it. Throws SiteConflictError when the main
 * record is not `expectedCid` any more, and NotPublishableError for a preview over the quota of versions.
 */
export async function writeSite(
  address: SiteAddress,
  files: ReadonlyMap<SitePath, FileNode>,
  { expectedCid, start }: WriteOnto,
  context: WriteContext,
  version: VersionToWrite | null,
  settings: SettingsChange | null = null,
): Promise<WrittenSite> {
  const records = new SiteRecords(address, files, context.now(), settings)
  const write = (version: VersionToWrite | null, start: RepositoryState | null) =>
    commitOnHead(
      {
        start,
        read: () =>
          readRepository(context.repo, address.name, { recent: context.recentRepositories }),
        plan: (now) => planSite(records, version, expectedCid, now),
        onCommitted: remembering(address, context.recentRepositories),
        mayWriteAlone: true,
        conflict: () => new SiteConflictError(address),
      },
      context,
    )
  try {
    return await write(version, start)
  } catch (error) {
    if (version === null || version.preview !== undefined || !isRefusal(error)) throw error
    return { ...(await write(null, null)), versionProblem: refusedVersionSentence }
  }
}

/** It may be about the version record: what is left without that record may be accepted. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ServerRefusedError &&
  refusalsOfRecords.includes(error.status) &&
  error.code !== 'BlobNotFound'

/** A record that the server finds invalid, that the session may not write, or that is too large. */
const refusalsOfRecords: readonly number[] = [400, 403, 413]

/** CID of the site's main record; null when there is none. */
export const mainCid = ({ name }: SiteAddress, { sites }: RepositoryState): string | null =>
  sites.get(name)?.cid ?? null

function planSite(
  records: SiteRecords,
  version: VersionToWrite | null,
  expectedCid: string | null,
  repository: RepositoryState,
): CommitPlan<WrittenSite> {
  const { address, trees } = records
  const isPreview = version?.preview !== undefined
  const current = mainCid(address, repository)
  const history = planHistory(records, version, repository)
  if (isPreview && history.problem !== null) throw new NotPublishableError(history.problem)
  const isOwn = history.key !== null && history.key === version?.key
  const planned = planWrites(
    address,
    {
      manifest: isPreview ? null : trees.manifest,
      version: isOwn ? trees.version : null,
      pruned: history.pruned,
    },
    repository,
  )
  if (planned.putMain && current !== expectedCid) throw new SiteConflictError(address)

  // In this order every write leaves a whole site. All but the parts are in one commit.
  const parts = planned.createParts.map((rkey) => partWrite(rkey, records))
  const main = planned.putMain ? [mainWrite(records, current)] : []
  const kept = history.isNew && version ? [versionWrite(records, version, repository)] : []
  // What does not fit into this commit, or whose deletion fails, is deleted by the next publish.
  const deletes = [
    ...history.pruned.map((key) => deletion(ownNamespace.version, key)),
    ...planned.deleteParts.map((key) => deletion(ownNamespace.subfs, key)),
  ].map((write): PlannedWrite => ({ ...write, mayFail: true }))
  const settings = isPreview
    ? []
    : settingsWrites(records.settingsOn(repository), repository, address)
  const needed = [...parts, ...linked([...main, ...kept, ...settings])]

  const uri = isPreview ? versionUri(address, history.key ?? '') : siteUri(address)
  const present = isPreview ? repository.versions.get(history.key ?? '')?.cid : current
  const result = (cid: string): WrittenSite => ({
    uri,
    cid,
    version:
      history.key === null
        ? null
        : { ...writtenVersion(history.key, records, repository), manifest: isPreview ? null : cid },
    versionProblem: history.problem,
  })
  // Also after an earlier commit of ours whose response was lost.
  if (needed.length + deletes.length === 0 && present) {
    return { kind: 'done', result: result(present) }
  }
  return {
    kind: 'write',
    writes: [...needed, ...deletes],
    written: (cids) => {
      if (cids.length < needed.length) return null
      const cid = main.length + (isPreview ? kept.length : 0) > 0 ? cids[parts.length] : present
      return cid ? result(cid) : null
    },
  }
}

const versionUri = ({ did }: SiteAddress, key: string): string =>
  `at://${did}/${ownNamespace.version}/${key}`

const partWrite = (rkey: string, records: SiteRecords): PlannedWrite => ({
  action: 'create',
  collection: ownNamespace.subfs,
  rkey,
  value: { ...records.part(rkey) },
})

const mainWrite = ({ address, manifest }: SiteRecords, replaces: string | null): PlannedWrite => ({
  action: replaces === null ? 'create' : 'update',
  collection: ownNamespace.fs,
  rkey: address.name,
  value: { ...manifest },
  replaces,
})

function versionWrite(
  records: SiteRecords,
  version: VersionToWrite,
  repository: RepositoryState,
): PlannedWrite {
  const isOfLive = version.preview === undefined && records.isPresent(repository)
  const present = isOfLive ? (repository.sites.get(records.address.name) ?? null) : null
  return {
    action: 'create',
    collection: ownNamespace.version,
    rkey: version.key,
    value: { ...records.version(version, records.settingsOn(repository), present) },
  }
}

function writtenVersion(
  key: VersionKey,
  records: SiteRecords,
  repository: RepositoryState,
): Omit<WrittenVersion, 'manifest'> {
  const { address, files } = records
  const digest = versionDigest(files, records.settingsOn(repository))
  return { key, label: versionLabel(address, digest) }
}
