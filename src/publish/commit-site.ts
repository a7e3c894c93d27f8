import {
  type AccountRepo,
  type RepoWrite,
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#atproto/repo/account-repo.ts'
import type { Manifest } from '#site/record/manifest.ts'
import type { Part } from '#site/record/part.ts'
import type { WritePlan } from '#site/record/plan-writes.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import type { AtFailPoint } from './fail-points.ts'

/** The site was changed in the repository while this publish was under way. */
export class SiteConflictError extends Error {
  override readonly name = 'SiteConflictError'
  readonly site: SiteAddress

  constructor(site: SiteAddress, options?: ErrorOptions) {
    super(`site changed meanwhile; site=${siteUri(site)}`, options)
    this.site = site
  }
}

/** What is to be written, complete. */
export interface SiteWrites {
  readonly manifest: Manifest
  readonly parts: ReadonlyMap<string, Part>
  readonly plan: WritePlan
  /** CID of the main record that this one replaces; null when there is none. */
  readonly replaces: string | null
}

export type CommitOutcome =
  | { readonly committed: true; readonly uri: string; readonly cid: string }
  /** The repository moved on since `head`: nothing was written. */
  | { readonly committed: false }

type Repo = Pick<AccountRepo, 'applyWrites' | 'putRecord' | 'deleteRecord'>

interface CommitContext {
  /** The commit that the writes were planned on; null to write in order, whatever the newest one is. */
  readonly head: string | null
  readonly repo: Repo
  readonly at: AtFailPoint
}

/** The protocol's limit for one commit. */
export const writesMax = 200

/**
 * Writes a version in one commit on top of `head`: readers see the old site or the new one. Servers that
 * do not take that in one piece get new parts, main record, old parts, in that order, each commit a
 * whole site. Throws SiteConflictError and what the repository's calls throw.
 */
export async function commitSite(
  address: SiteAddress,
  writes: SiteWrites,
  { head, repo, at }: CommitContext,
): Promise<CommitOutcome> {
  if (head === null) return await commitInOrder(address, writes, repo, at)
  try {
    const results = await repo.applyWrites(writesOf(address, writes), head)
    const cid = writes.plan.putMain ? results[writes.plan.createParts.length]?.cid : writes.replaces
    if (!cid) throw new UnusableAnswerError('com.atproto.repo.applyWrites', 'results')
    return { committed: true, uri: siteUri(address), cid }
  } catch (error) {
    if (!(error instanceof ServerRefusedError)) throw error
    if (error.code === 'InvalidSwap') return { committed: false }
    if (!isTooMuchAtOnce(error)) throw error
    return await commitInOrder(address, writes, repo, at)
  }
}

function writesOf(address: SiteAddress, { manifest, parts, plan, replaces }: SiteWrites) {
  const collection = 'place.sitehost.subfs'
  const creates = plan.createParts.map(
    (rkey): RepoWrite => ({ action: 'create', collection, rkey, value: { ...parts.get(rkey) } }),
  )
  const main: RepoWrite = {
    action: replaces === null ? 'create' : 'update',
    collection: 'place.sitehost.fs',
    rkey: address.name,
    value: { ...manifest },
  }
  // What does not fit goes with the next publish, which finds it as left behind.
  const deletes = plan.deleteParts
    .slice(0, writesMax - creates.length - 1)
    .map((rkey): RepoWrite => ({ action: 'delete', collection, rkey }))
  return [...creates, ...(plan.putMain ? [main] : []), ...deletes]
}

/** 413, or no such method; some servers call a body that is too large an invalid request. */
export const isTooMuchAtOnce = ({ status, code, reason }: ServerRefusedError): boolean =>
  status === 413 ||
  status === 501 ||
  code === 'MethodNotImplemented' ||
  code === 'PayloadTooLarge' ||
  /too large|entity too|too many writes/i.test(reason)

async function commitInOrder(
  address: SiteAddress,
  { manifest, parts, plan, replaces }: SiteWrites,
  repo: Repo,
  at: AtFailPoint,
): Promise<CommitOutcome> {
  for (const key of plan.createParts) {
    await repo.putRecord('place.sitehost.subfs', key, { ...parts.get(key) })
  }
  at('parts-written')
  const main =
    plan.putMain || replaces === null
      ? await putMain(address, manifest, replaces, repo)
      : { uri: siteUri(address), cid: replaces }
  at('main-written')
  await deleteParts(plan.deleteParts, repo)
  return { committed: true, ...main }
}

// The site is published by now: what cannot be deleted goes with the next publish, as left behind.
async function deleteParts(keys: readonly string[], repo: Repo): Promise<void> {
  for (const key of keys) {
    try {
      await repo.deleteRecord('place.sitehost.subfs', key)
    } catch (error) {
      const isOfServer = [ServerRefusedError, ServerUnreachableError, UnusableAnswerError].some(
        (kind) => error instanceof kind,
      )
      if (isOfServer) return
      throw error
    }
  }
}

async function putMain(
  address: SiteAddress,
  manifest: Manifest,
  replaces: string | null,
  repo: Repo,
): Promise<{ uri: string; cid: string }> {
  try {
    return await repo.putRecord('place.sitehost.fs', address.name, { ...manifest }, replaces)
  } catch (error) {
    if (!(error instanceof ServerRefusedError && error.code === 'InvalidSwap')) throw error
    throw new SiteConflictError(address, { cause: error })
  }
}
