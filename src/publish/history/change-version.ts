import { ServerRefusedError } from '#outbound/server-errors.ts'
import { type RepoContext, SiteConflictError } from '#publish/commit-on-head.ts'
import { patienceOfAPerson, withPatience } from '#publish/server-patience.ts'
import { ownNamespace } from '#site/namespace.ts'
import { parseVersionRecord, type VersionRecord } from '#site/record/version-record.ts'
import { isSameJson } from '#site/same-json.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'

/** What the owner says about a version. A field that is left out stays as it is; null removes it. */
export interface VersionChange {
  readonly message?: string | null | undefined
  readonly pinned?: boolean | undefined
  readonly alias?: string | null | undefined
  /** ISO 8601. */
  readonly expiresAt?: string | null | undefined
}

export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly version: VersionRecord }
  | { readonly kind: 'not-found' }
  /** The version was live: only a preview has an alias and expires. */
  | { readonly kind: 'not-a-preview' }
  | { readonly kind: 'refused'; readonly field: keyof VersionChange }

const collection = ownNamespace.version

/**
 * Changes fields of a version record, with compare-and-swap; its other fields stay, also those that we do not know. Throws
 * SiteConflictError when another program changes the record meanwhile.
 */
export async function changeVersion(
  address: SiteAddress,
  key: VersionKey,
  change: VersionChange,
  { repo, now, pause, signal }: RepoContext,
): Promise<ChangeOutcome> {
  const patience = { now, pause, signal, ...patienceOfAPerson }
  const record = await withPatience(() => repo.findRecord(collection, key), patience)
  const before = record === null ? null : parseVersionRecord(record.value)
  if (!record || !before?.ok || before.version.site !== address.name) return { kind: 'not-found' }
  const isPreview = before.version.manifest === undefined
  if (!isPreview && (change.alias || change.expiresAt)) return { kind: 'not-a-preview' }

  const value = changed(record.value as Record<string, unknown>, change)
  const after = parseVersionRecord(value)
  if (!after.ok) throw new TypeError('a version record with other optional fields is none')
  const refused = fields.find(
    (field) => change[field] !== undefined && value[field] !== after.version[field],
  )
  if (refused !== undefined) return { kind: 'refused', field: refused }

  if (!isSameJson(value, record.value)) {
    // Some servers do not return the CID.
    const put = () => repo.putRecord(collection, key, value, record.cid || undefined)
    await withPatience(put, patience).catch((error) => {
      throw isLostRace(error) ? new SiteConflictError(address, { cause: error }) : error
    })
  }
  return { kind: 'changed', version: after.version }
}

const isLostRace = (error: unknown): boolean =>
  error instanceof ServerRefusedError && error.code === 'InvalidSwap'

const fields = [
  'message',
  'pinned',
  'alias',
  'expiresAt',
] as const satisfies readonly (keyof VersionChange)[]

function changed(
  before: Readonly<Record<string, unknown>>,
  change: VersionChange,
): Record<string, unknown> {
  const value = { ...before }
  for (const field of fields) {
    const wanted = change[field]
    if (wanted === undefined) continue
    if (wanted === null || wanted === '') delete value[field]
    else value[field] = wanted
  }
  return value
}
