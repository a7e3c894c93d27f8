import { type Identity, IdentityError } from '#atproto/identity/identity.ts'
import { CommitRecords } from '#atproto/repo/commit-records.ts'
import { ProofError, RecordUnavailableError, readWithProof } from '#atproto/repo/verified-record.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { PartMissingError, readFiles } from '#ingest/read/read-files.ts'
import { readSite, SiteUnsettledError } from '#ingest/read/read-site.ts'
import { FetchLimitError } from '#outbound/safe-fetch.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { parseVersionRecord } from '#site/record/version-record.ts'
import { type SiteAddress, siteUri, versionUri } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'

/** What the owner's repository has of a site; its signature and every record on the way are verified. */
export interface VerifiedSite {
  readonly uri: string
  /** Of the record. */
  readonly cid: string
  readonly identity: Identity
  readonly files: ReadonlyMap<SitePath, FileNode>
  readonly settings: SiteSettings | null
}

/** The live site, or one of its versions. Throws CommandError. */
export async function readVerified(
  address: SiteAddress,
  version: VersionKey | null,
  context: CommandContext,
): Promise<VerifiedSite> {
  const { fetch, identities, signal } = context
  try {
    const identity = await identities.resolve(address.did, { signal })
    const within = { fetch, signal }
    return version === null
      ? await readLive(address, identity, within)
      : await readVersion(address, version, identity, within)
  } catch (error) {
    signal.throwIfAborted()
    const sentence = sentenceOf(error, address)
    throw sentence === null ? error : new CommandError(sentence, { cause: error })
  }
}

type Within = Pick<CommandContext, 'fetch' | 'signal'>

async function readLive(
  address: SiteAddress,
  identity: Identity,
  within: Within,
): Promise<VerifiedSite> {
  const reading = await readSite(address, identity, within)
  const uri = siteUri(address)
  if (!reading.found) throw new CommandError(`There is no ${uri}.`)
  const { cid, content } = reading
  if (!content.ok) throw new CommandError(`${uri} cannot be read: ${content.problems[0]}.`)
  return { uri, cid, identity, files: content.files, settings: content.settings }
}

async function readVersion(
  { did, name }: SiteAddress,
  key: VersionKey,
  identity: Identity,
  { fetch, signal }: Within,
): Promise<VerifiedSite> {
  const uri = versionUri(did, key)
  const record = { collection: 'place.sitehost.version', rkey: key }
  const { answer, proof } = await readWithProof(record, identity, fetch, signal)
  const parsed = answer.found ? parseVersionRecord(answer.record) : null
  if (!answer.found || !parsed?.ok || parsed.version.site !== name) {
    throw new CommandError(`There is no version ${key} of ${name}.`)
  }
  const { root, settings = null } = parsed.version
  const commit = new CommitRecords(proof, identity, { fetch, signal })
  const { result } = await readFiles(root, commit, identity, { fetch, signal })
  if (!result.ok) throw new CommandError(`${uri} cannot be read: ${result.problems[0]}.`)
  return { uri, cid: answer.cid, identity, files: result.files, settings }
}

function sentenceOf(error: unknown, { did }: SiteAddress): string | null {
  if (error instanceof ProofError) {
    return `The server of ${did} sent records that its owner has not signed: ${error.message}.`
  }
  if (error instanceof RecordUnavailableError)
    return `The server of ${did} does not send its records: ${error.message}.`
  if (error instanceof IdentityError) return `The account ${did} cannot be found: ${error.message}.`
  if (error instanceof SiteUnsettledError || error instanceof PartMissingError) {
    return 'The site changes at this moment. Try again.'
  }
  if (error instanceof FetchLimitError) return `The server of ${did} did not answer. Try again.`
  return null
}
