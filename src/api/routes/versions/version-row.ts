import type { ApiContext } from '#api/context.ts'
import type { VersionRow } from '#api/contract/versions.ts'
import { isoOf, isoOrNull } from '#api/routes/iso-of.ts'
import { ownNamespace } from '#site/namespace.ts'
import { previewLabel } from '#site/preview-label.ts'
import { type SiteAddress, siteLabel, siteUri } from '#site/site-address.ts'
import type { HistoryEntry, SiteState } from '#store/sites/version-history.ts'
import type { VersionRecord } from '#store/sites/version-records/version-records.ts'
import { otherPrefix } from './version-content.ts'

interface RowContext extends Pick<ApiContext, 'labelUrl' | 'now' | 'siteUrl'> {
  /** Key of the version record that is live; null: none is. */
  readonly liveKey: string | null
  /** Whether version records of the account wait to be read. */
  readonly hasUnread: boolean
}

/** A version as its owner sees it. */
export const versionRow = (
  site: SiteAddress,
  entry: HistoryEntry,
  context: RowContext,
): VersionRow =>
  entry.kind === 'record'
    ? recordRow(site, entry.record, context)
    : stateRow(site, entry.state, context)

export function recordRow(
  site: SiteAddress,
  record: VersionRecord,
  { labelUrl, liveKey, now }: Omit<RowContext, 'hasUnread'>,
): VersionRow {
  const { alias, createdAt, expiresAt, key, label, manifest, message, pinned, source } = record
  const isExpired = expiresAt !== null && expiresAt <= now()
  const hasAddress = record.hasContent && !isExpired
  const preview = alias === null ? null : previewLabel(alias, siteLabel(site))
  return {
    id: key,
    uri: `at://${site.did}/${ownNamespace.version}/${key}`,
    state: stateOf(record, liveKey, isExpired),
    createdAt: isoOf(createdAt),
    publishedAt: manifest === null ? null : isoOf(createdAt),
    fileCount: record.fileCount,
    bytes: record.bytes,
    message,
    source,
    alias,
    pinned,
    expiresAt: isoOrNull(expiresAt),
    url: hasAddress && label !== null ? labelUrl(label) : null,
    previewUrl: hasAddress && preview !== null ? labelUrl(preview) : null,
    by: 'owner',
    problems: record.problems,
  }
}

function stateOf(
  { hasContent, key, manifest, state }: VersionRecord,
  liveKey: string | null,
  isExpired: boolean,
): VersionRow['state'] {
  if (key === liveKey) return 'live'
  if (state !== 'kept') return 'refused'
  if (isExpired || !hasContent) return 'expired'
  return manifest === null ? 'preview' : 'replaced'
}

function stateOfSite({ hasContent, state }: SiteState): VersionRow['state'] {
  if (state === 'live') return 'live'
  if (state === 'invalid') return 'refused'
  return hasContent ? 'replaced' : 'expired'
}

function stateRow(
  site: SiteAddress,
  state: SiteState,
  { hasUnread, siteUrl }: RowContext,
): VersionRow {
  const isLive = state.state === 'live'
  return {
    id: otherPrefix + state.id,
    uri: siteUri(site),
    state: stateOfSite(state),
    createdAt: isoOf(state.publishedAt),
    publishedAt: isoOf(state.publishedAt),
    fileCount: state.fileCount,
    bytes: state.bytes,
    message: null,
    source: null,
    alias: null,
    pinned: false,
    expiresAt: null,
    url: isLive ? siteUrl(site) : null,
    previewUrl: null,
    by: hasUnread ? null : 'other-program',
    problems: state.problems,
  }
}
