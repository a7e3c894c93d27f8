import type { Identity } from '#atproto/identity/identity.ts'
import { CommitRecords } from '#atproto/repo/commit-records.ts'
import { readWithProof } from '#atproto/repo/verified-record.ts'
import type { SitePath } from '#site/path.ts'
import { type FileNode, type ManifestResult, parseManifest } from '#site/record/manifest.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { namespaceOf, recordKeyOf } from '#site/site-name.ts'
import { type PartVersions, type ReadContext, readFiles } from './read-files.ts'
import { readSettings, type SettingsReading, settingsIn } from './read-settings.ts'

/** Attempts in a row while the repository changes. */
const readingsMax = 3

/** The state of a site in its owner's repository at one moment. */
export type SiteReading =
  | { readonly found: false; readonly rev: string }
  | {
      readonly found: true
      readonly rev: string
      /** Of the manifest. */
      readonly cid: string
      readonly content: SiteContent
    }

export type SiteContent =
  | {
      readonly ok: true
      readonly createdAt: string
      readonly files: ReadonlyMap<SitePath, FileNode>
      /** Null without a record, or when there is a problem with it. */
      readonly settings: SiteSettings | null
      /** For the owner; the site is served all the same. */
      readonly problems: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly string[] }

/** The site kept changing while it was read. */
export class SiteUnsettledError extends Error {
  override readonly name = 'SiteUnsettledError'
  readonly site: SiteAddress

  constructor(site: SiteAddress) {
    super(`site changes while it is read; site=${site.did}/${site.name}`)
    this.site = site
  }
}

/**
 * Reads the manifest, its parts and the settings as they were at one moment, never a mixture of two commits: all have
 * one revision, or a second reading returned the same records and no older revision. Throws SiteUnsettledError,
 * PartMissingError and what `readVerifiedRecord` throws; the caller retries.
 */
export async function readSite(
  address: SiteAddress,
  identity: Identity,
  context: ReadContext,
): Promise<SiteReading> {
  let before: Once | null = null
  for (let n = 0; n < readingsMax; n++) {
    const once = await readOnce(address, identity, context)
    if (once.revs.size === 1 || (before !== null && stoodStill(before, once))) return once.reading
    before = once
  }
  throw new SiteUnsettledError(address)
}

/** An older revision than in the first reading: the server returned an outdated record with its old proof. */
function stoodStill(before: Once, now: Once): boolean {
  const isPast = (rev: string): boolean => [...before.revs].some((known) => rev < known)
  return now.records === before.records && ![...now.revs].some(isPast)
}

interface Once {
  readonly reading: SiteReading
  readonly revs: ReadonlySet<string>
  /** The CIDs of all records that were read. */
  readonly records: string
}

async function readOnce(
  address: SiteAddress,
  identity: Identity,
  context: ReadContext,
): Promise<Once> {
  const manifest = await readManifest(address, identity, context)
  const { rev } = manifest
  if (!manifest.found) return { reading: { found: false, rev }, revs: new Set([rev]), records: '' }
  const { cid } = manifest
  // Not concurrently: the manifest's proof usually covers the settings too, which saves a request.
  const settings = manifest.settings ?? (await readSettings(address.name, identity, context))
  const { content, parts } = await readContent(address, manifest, settings, identity, context)
  const cids = [...parts].map(([uri, part]) => `${uri} ${part.cid}`).sort()
  return {
    reading: { found: true, rev, cid, content },
    revs: new Set([rev, settings.rev ?? rev, ...[...parts.values()].map((part) => part.rev)]),
    records: [cid, `settings ${settings.cid}`, ...cids].join('\n'),
  }
}

/**
 * `settings` is null when the manifest's proof does not cover them. Releases the proof and the record: the rest of the
 * site may take minutes on a slow server, and a record can have 200,000 unused values.
 */
async function readManifest(address: SiteAddress, identity: Identity, context: ReadContext) {
  const key = { collection: namespaceOf(address.name).fs, rkey: recordKeyOf(address.name) }
  const { answer, proof } = await readWithProof(key, identity, context.fetch, context.signal)
  if (!answer.found) return answer
  const { rev, cid, problem, record } = answer
  const parsed: ManifestResult =
    problem === null ? parseManifest(record, address.name) : { ok: false, problems: [problem] }
  const commit = new CommitRecords(proof, identity, context)
  const settings = await settingsIn(proof, address)
  return { found: true as const, rev, cid, commit, parsed, settings }
}

async function readContent(
  { name }: SiteAddress,
  { commit, parsed }: { readonly commit: CommitRecords; readonly parsed: ManifestResult },
  { settings, problems }: SettingsReading,
  identity: Identity,
  context: ReadContext,
): Promise<{ content: SiteContent; parts: PartVersions }> {
  const refused = (reasons: readonly string[], parts: PartVersions = new Map()) => ({
    content: { ok: false, problems: reasons } as const,
    parts,
  })
  if (!parsed.ok) return refused(parsed.problems)
  const { root, createdAt } = parsed.manifest
  const { result, parts } = await readFiles(root, commit, identity, context, namespaceOf(name))
  if (!result.ok) return refused(result.problems, parts)
  return { content: { ...result, createdAt, settings, problems }, parts }
}
