import { CommandError, UsageError } from '#cli/command-error.ts'
import type { RepositoryState } from '#publish/repository/read-repository.ts'
import { parsePreviewAlias } from '#site/preview-alias.ts'
import { liveVersionKey } from '#site/record/plan-versions.ts'
import type { VersionRecord } from '#site/record/version-record.ts'
import type { SiteName } from '#site/site-name.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'

/** A version record, and what it is for the site now. */
export interface HistoryEntry {
  readonly id: VersionKey
  readonly state: 'live' | 'replaced' | 'preview' | 'expired'
  /** Of an account with more records than are read, fewer fields. */
  readonly version: Partial<VersionRecord>
}

/** Newest first. */
export function historyOf(
  name: SiteName,
  repository: Pick<RepositoryState, 'sites' | 'versions'>,
  now: number,
): HistoryEntry[] {
  const live = liveVersionKey(name, repository)
  return [...repository.versions]
    .flatMap(([key, { version }]): HistoryEntry[] => {
      const id = parseVersionKey(key)
      if (id === null || version?.site !== name) return []
      return [{ id, state: stateOf(version, key === live, now), version }]
    })
    .sort((a, b) => (a.id < b.id ? 1 : -1))
}

function stateOf(
  { expiresAt, manifest }: Partial<VersionRecord>,
  isLive: boolean,
  now: number,
): HistoryEntry['state'] {
  if (isLive) return 'live'
  if (manifest !== undefined) return 'replaced'
  return expiresAt !== undefined && Date.parse(expiresAt) <= now ? 'expired' : 'preview'
}

/**
 * What a person names: an id, `previous` for the version that was live before, or the alias of a preview, whose newest one
 * counts. Throws CommandError.
 */
export function findEntry(history: readonly HistoryEntry[], wanted: string): HistoryEntry {
  const { alias, id } = parseVersionName(wanted)
  const found =
    history.find((entry) => entry.id === id) ??
    (wanted === 'previous'
      ? history.find(({ state }) => state === 'replaced')
      : history.find(({ state, version }) => state === 'preview' && version.alias === alias))
  if (found !== undefined) return found
  throw new CommandError(`There is no version ${wanted}. "sitehost versions" lists what there is.`)
}

/** What a name may be, one of the two at least. Throws UsageError. */
export function parseVersionName(wanted: string) {
  const id = parseVersionKey(wanted)
  const alias = parsePreviewAlias(wanted)
  if (id !== null || alias !== null) return { alias, id }
  throw new UsageError(
    `${JSON.stringify(wanted)} is no version: "sitehost versions" lists their ids.`,
  )
}
