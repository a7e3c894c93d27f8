import type { Identity } from '#atproto/identity/identity.ts'
import type { RepoProof } from '#atproto/repo/repo-proof.ts'
import { saysRecordIsAbsent } from '#atproto/repo/unproven-absence.ts'
import {
  type RecordKey,
  RecordUnavailableError,
  readVerifiedRecord,
  recordIn,
  type VerifiedRecord,
} from '#atproto/repo/verified-record.ts'
import { parseForeignSettings } from '#site/record/foreign-settings.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { isForeignName, namespaceOf, recordKeyOf, type SiteName } from '#site/site-name.ts'
import type { ReadContext } from './read-files.ts'

export interface SettingsReading {
  /** CID of the record; null without one. */
  readonly cid: string | null
  /** Revision of the repository; null when the server did not prove it. */
  readonly rev: string | null
  /** Null without a record, and for an invalid one: then `problems` say why. */
  readonly settings: SiteSettings | null
  readonly problems: readonly string[]
}

/**
 * The owner's settings of a site, proven; their absence need not be proven. Invalid settings are a problem of the
 * version, which gets the defaults. Throws what `readVerifiedRecord` throws.
 */
export async function readSettings(
  name: SiteName,
  identity: Identity,
  context: ReadContext,
): Promise<SettingsReading> {
  const key = { did: identity.did, ...keyOf(name) }
  return readingOf(name, await readRecord(key, identity, context))
}

/** The same from the manifest's proof, which often covers the neighbouring settings record. Null: it does not. */
export async function settingsIn(
  manifestProof: RepoProof,
  { did, name }: SiteAddress,
): Promise<SettingsReading | null> {
  const answer = await recordIn(manifestProof, { did, ...keyOf(name) })
  return answer && readingOf(name, answer)
}

const keyOf = (name: SiteName) => ({
  collection: namespaceOf(name).settings,
  rkey: recordKeyOf(name),
})

function readingOf(
  name: SiteName,
  answer: VerifiedRecord | { found: false; rev: null },
): SettingsReading {
  const { rev } = answer
  if (!answer.found) return { cid: null, rev, settings: null, problems: [] }
  const { cid, problem, record } = answer
  if (problem === null && isForeignName(name)) return { cid, rev, ...parseForeignSettings(record) }
  const parsed = problem === null ? parseSettings(record) : { ok: false as const, error: problem }
  if (parsed.ok) return { cid, rev, settings: parsed.settings, problems: [] }
  return { cid, rev, settings: null, problems: [`the settings are not used: ${parsed.error}`] }
}

async function readRecord(
  key: RecordKey,
  identity: Identity,
  context: ReadContext,
): Promise<VerifiedRecord | { found: false; rev: null }> {
  try {
    return await readVerifiedRecord(key, identity, context.fetch, context.signal)
  } catch (error) {
    if (!(error instanceof RecordUnavailableError)) throw error
    if (!(await saysRecordIsAbsent(key, identity, context))) throw error
    return { found: false, rev: null }
  }
}
