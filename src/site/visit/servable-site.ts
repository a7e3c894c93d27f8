import { defaultSettings, type SiteSettings } from '#site/record/settings.ts'
import { type HeaderRules, headerRuleSteps } from '#site/rules/header-rules.ts'
import { type RedirectRules, redirectSteps } from '#site/rules/redirects-file.ts'
import { siteUri } from '#site/site-address.ts'
import { runAtOnce, type Steps } from '#site/steps.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { AddressedFiles } from './addresses.ts'
import { type Conventions, conventionsOf } from './conventions.ts'
import { type Directories, listDirectories } from './listing.ts'
import type { Snapshot, SnapshotFile } from './snapshot.ts'

/** One version of a site with its rules compiled. Make it once per version that is in memory. */
export interface ServableSite extends AddressedFiles {
  readonly snapshot: Snapshot
  /** What proves it: the site's record, or that of a version that its owner keeps. */
  readonly record: ProvingRecord
  /** When visitors first got this version from us; milliseconds since the epoch. */
  readonly liveSince: number
  readonly settings: CompleteSettings
  readonly conventions: Conventions
  readonly redirects: RedirectRules
  readonly headers: HeaderRules
  /** Computed on first use. */
  readonly directories: Directories
  readonly earlierAssets: EarlierAssets
  /** How long a CDN may keep what it could also revalidate, unless it hears that the site has changed; 0: not at all. */
  readonly cdnSeconds: number
}

export interface ProvingRecord {
  readonly uri: string
  readonly cid: string
  /** Null: the site's record. */
  readonly versionKey: VersionKey | null
}

/** What visitors get depends on these. Disabled settings are empty strings and lists. */
export type CompleteSettings = {
  readonly [Field in Exclude<keyof SiteSettings, '$type' | 'history'>]-?: NonNullable<
    SiteSettings[Field]
  >
}

/** By path: files with hashed names that only earlier versions have, requested by open or cached pages. */
export type EarlierAssets = ReadonlyMap<string, EarlierAsset>

export interface EarlierAsset {
  readonly file: SnapshotFile
  /** Milliseconds since the epoch; not served from then on. */
  readonly until: number
}

/** `liveSince` defaults to the time of publication that the owner states. */
export const servableSite = (snapshot: Snapshot, facts?: SiteFacts): ServableSite =>
  runAtOnce(servableSiteSteps(snapshot, facts))

type SiteFacts = Partial<
  Pick<ServableSite, 'cdnSeconds' | 'earlierAssets' | 'liveSince' | 'record'>
>

/** As `servableSite`, in steps: two rule files at their limits take 100 ms. */
export function* servableSiteSteps(
  snapshot: Snapshot,
  {
    cdnSeconds = 0,
    earlierAssets = new Map(),
    liveSince = snapshot.publishedAt,
    record = { uri: siteUri(snapshot), cid: snapshot.recordCid, versionKey: null },
  }: SiteFacts = {},
): Steps<ServableSite> {
  const conventions = conventionsOf(snapshot.name)
  const settings: CompleteSettings = completeSettings(snapshot.settings ?? {}, conventions)
  const redirects = yield* redirectSteps(snapshot.redirects)
  const headers = yield* headerRuleSteps(snapshot.headers, settings.headers)
  let directories: Directories | undefined
  return {
    snapshot,
    record,
    liveSince,
    settings,
    conventions,
    files: snapshot.files,
    indexFiles: settings.indexFiles,
    addressForm: settings.cleanUrls ? settings.trailingSlash : 'plain',
    redirects: redirects.rules,
    headers: headers.rules,
    get directories() {
      directories ??= listDirectories(snapshot.files)
      return directories
    },
    earlierAssets,
    cdnSeconds,
  }
}

function completeSettings(
  said: Partial<SiteSettings>,
  { indexFiles }: Conventions,
): CompleteSettings {
  return {
    indexFiles: said.indexFiles ?? [...indexFiles],
    cleanUrls: said.cleanUrls ?? defaultSettings.cleanUrls,
    trailingSlash: said.trailingSlash ?? 'auto',
    directoryListing: said.directoryListing ?? defaultSettings.directoryListing,
    spaMode: said.spaMode ?? '',
    custom404: said.custom404 ?? '',
    headers: said.headers ?? [],
  }
}
