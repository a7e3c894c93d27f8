import { type Identity, IdentityError } from '#atproto/identity/identity.ts'
import { CommitRecords } from '#atproto/repo/commit-records.ts'
import { ProofError, RecordUnavailableError, readWithProof } from '#atproto/repo/verified-record.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { PartMissingError, readFiles } from '#ingest/read/read-files.ts'
import { readSite, SiteUnsettledError } from '#ingest/read/read-site.ts'
import { FetchLimitError } from '#outbound/safe-fetch.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { parseVersionRecord } from '#site/record/version-record.ts'
import { type Did, type SiteAddress, siteUri, versionUri } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'

/** What the owner's repository has of a site; its signature and every record on the way are verified. */
export interface VerifiedSite {
  readonly address: SiteAddress
  /** A version that its owner keeps; null: the live site. */
  readonly version: KeptVersion | null
  readonly uri: string
  /** Of the record. */
  readonly cid: string
  readonly identity: Identity
  readonly files: ReadonlyMap<SitePath, FileNode>
  readonly settings: SiteSettings | null
  /** As its owner states it. */
  readonly createdAt: string
}

export interface KeptVersion {
  readonly key: VersionKey
  readonly alias: string | undefined
  readonly expiresAt: string | undefined
  /** CID of the equal record of the site; undefined: the version was never live. */
  readonly manifest: string | undefined
}

/** The live site, or one of its versions. Throws CommandError. */
export const readVerified = (
  address: SiteAddress,
  version: VersionKey | null,
  context: CommandContext,
): Promise<VerifiedSite> =>
  readOf(address.did, context, async (identity, within) => {
    if (version === null) return await readLive(address, identity, within)
    const found = await readVersion(version, identity, within)
    if (found?.address.name === address.name) return found
    throw new CommandError(`There is no version ${version} of ${address.name}.`)
  })

/** A version of whichever site of the account. Throws CommandError. */
export const readVerifiedVersion = (
  did: Did,
  version: VersionKey,
  context: CommandContext,
): Promise<VerifiedSite> =>
  readOf(did, context, async (identity, within) => {
    const found = await readVersion(version, identity, within)
    if (found !== null) return found
    throw new CommandError(`There is no ${versionUri(did, version)}.`)
  })

/** CID of the record that is live; null: none. Throws CommandError. */
export const readLiveCid = ({ did, name }: SiteAddress, context: CommandContext) =>
  readOf(did, context, async (identity, { fetch, signal }): Promise<string | null> => {
    const record = { collection: ownNamespace.fs, rkey: name }
    const { answer } = await readWithProof(record, identity, fetch, signal)
    return answer.found ? answer.cid : null
  })

async function readOf<T>(
  did: Did,
  { fetch, identities, signal }: CommandContext,
  read: (identity: Identity, within: Within) => Promise<T>,
): Promise<T> {
  try {
    return await read(await identities.resolve(did, { signal }), { fetch, signal })
  } catch (error) {
    signal.throwIfAborted()
    const sentence = sentenceOf(error, did)
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
  const { createdAt, files, settings } = content
  return { address, version: null, uri, cid, identity, files, settings, createdAt }
}

/** Null: there is none. */
async function readVersion(
  key: VersionKey,
  identity: Identity,
  { fetch, signal }: Within,
): Promise<VerifiedSite | null> {
  const { did } = identity
  const record = { collection: ownNamespace.version, rkey: key }
  const { answer, proof } = await readWithProof(record, identity, fetch, signal)
  const parsed = answer.found ? parseVersionRecord(answer.record) : null
  if (!answer.found || !parsed?.ok) return null
  const { alias, createdAt, expiresAt, manifest, root, settings = null, site } = parsed.version
  const commit = new CommitRecords(proof, identity, { fetch, signal })
  const { result } = await readFiles(root, commit, identity, { fetch, signal })
  const uri = versionUri(did, key)
  if (!result.ok) throw new CommandError(`${uri} cannot be read: ${result.problems[0]}.`)
  return {
    address: { did, name: site },
    version: { key, alias, expiresAt, manifest },
    uri,
    cid: answer.cid,
    identity,
    files: result.files,
    settings,
    createdAt,
  }
}

function sentenceOf(error: unknown, did: Did): string | null {
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
