import type { Identity } from '#atproto/identity/identity.ts'
import { readWithProof } from '#atproto/repo/verified-record.ts'
import type { SitePath } from '#site/path.ts'
import { type FileNode, type ManifestResult, parseManifest } from '#site/record/manifest.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { type PartVersions, type ReadContext, readFiles } from './read-files.ts'
import { readSettings, type SettingsReading, settingsIn } from './read-settings.ts'

/** So often is a site read in a row when something is written meanwhile. */
const readingsMax = 3

/** What the owner's repository says about a site, all of it at one moment. */
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
      /** For the owner to mend; the site is shown all the same. */
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
 * Reads the manifest, its parts and the settings as they were at one moment, never a mixture of two commits:
 * they are of one revision, or were the same records when read once more, none of them at a revision that
 * was past by then. Throws SiteUnsettledError,
 * PartMissingError and what `readVerifiedRecord` throws, to be tried again.
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

/** A server that gives an old record, with the proof of its time, has not the repository of now. */
function stoodStill(before: Once, now: Once): boolean {
  const isPast = (rev: string): boolean => [...before.revs].some((known) => rev < known)
  return now.records === before.records && ![...now.revs].some(isPast)
}

interface Once {
  readonly reading: SiteReading
  readonly revs: ReadonlySet<string>
  /** Says by their CIDs which records were read. */
  readonly records: string
}

async function readOnce(
  address: SiteAddress,
  identity: Identity,
  context: ReadContext,
): Promise<Once> {
  const { manifest, settings: known } = await readManifest(address, identity, context)
  const { rev } = manifest
  if (!manifest.found) return { reading: { found: false, rev }, revs: new Set([rev]), records: '' }
  // Not at the same time: mostly the manifest's proof answers it, and the server is spared a question.
  const settings = known ?? (await readSettings(address.name, identity, context))
  const { content, parts } = await readContent(manifest.parsed, settings, identity, context)
  const { cid } = manifest
  const cids = [...parts].map(([uri, part]) => `${uri} ${part.cid}`).sort()
  return {
    reading: { found: true, rev, cid, content },
    revs: new Set([rev, settings.rev ?? rev, ...[...parts.values()].map((part) => part.rev)]),
    records: [cid, `settings ${settings.cid}`, ...cids].join('\n'),
  }
}

interface ManifestReading {
  readonly manifest:
    | { readonly found: false; readonly rev: string }
    | {
        readonly found: true
        readonly rev: string
        readonly cid: string
        readonly parsed: ManifestResult
      }
  /** Null where the proof of the manifest does not tell. */
  readonly settings: SettingsReading | null
}

/**
 * Of the proof and the record nothing is kept but what is read: a slow server may have the rest of the site waited
 * for, and a record can have 200 000 values that are nobody's.
 */
async function readManifest(
  address: SiteAddress,
  identity: Identity,
  { fetch, signal }: ReadContext,
): Promise<ManifestReading> {
  const key = { collection: 'place.sitehost.fs', rkey: address.name }
  const { answer, proof } = await readWithProof(key, identity, fetch, signal)
  const { rev } = answer
  if (!answer.found) return { manifest: { found: false, rev }, settings: null }
  const { cid, problem, record } = answer
  const parsed =
    problem === null
      ? parseManifest(record, address.name)
      : { ok: false as const, problems: [problem] }
  return {
    manifest: { found: true, rev, cid, parsed },
    settings: await settingsIn(proof, address),
  }
}

async function readContent(
  parsed: ManifestResult,
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
  const { result, parts } = await readFiles(root, identity, context)
  if (!result.ok) return refused(result.problems, parts)
  return { content: { ...result, createdAt, settings, problems }, parts }
}
