import { defaultSettings, type SiteSettings } from '#site/record/settings.ts'
import { type HeaderRules, headerRuleSteps } from '#site/rules/header-rules.ts'
import { type RedirectRules, redirectSteps } from '#site/rules/redirects.ts'
import { runAtOnce, type Steps } from '#site/steps.ts'
import type { AddressedFiles } from './addresses.ts'
import { type Directories, listDirectories } from './listing.ts'
import type { Snapshot, SnapshotFile } from './snapshot.ts'

/** One version of a site with its rules compiled. Make it once per version that is in memory. */
export interface ServableSite extends AddressedFiles {
  readonly snapshot: Snapshot
  /** When visitors first got this version from us; milliseconds since the epoch. */
  readonly liveSince: number
  readonly settings: CompleteSettings
  readonly redirects: RedirectRules
  readonly headers: HeaderRules
  /** Made when they are first asked for. */
  readonly directories: Directories
  readonly earlierAssets: EarlierAssets
}

/** Empty texts and lists for what is not enabled. */
export type CompleteSettings = {
  readonly [Field in Exclude<keyof SiteSettings, '$type'>]-?: NonNullable<SiteSettings[Field]>
}

/**
 * Files whose names change with their content, that this version no longer has, by path: pages of an
 * earlier version, still open or kept somewhere, ask for them.
 */
export type EarlierAssets = ReadonlyMap<string, EarlierAsset>

export interface EarlierAsset {
  readonly file: SnapshotFile
  /** Milliseconds since the epoch; from then on it is gone. */
  readonly until: number
}

/** Without another time it is live since the one that its owner says. */
export const servableSite = (snapshot: Snapshot, facts?: SiteFacts): ServableSite =>
  runAtOnce(servableSiteSteps(snapshot, facts))

type SiteFacts = Partial<Pick<ServableSite, 'earlierAssets' | 'liveSince'>>

/** As `servableSite`, in steps: two files of rules as slow as they may be take 100 ms. */
export function* servableSiteSteps(
  snapshot: Snapshot,
  { earlierAssets = new Map(), liveSince = snapshot.publishedAt }: SiteFacts = {},
): Steps<ServableSite> {
  const settings: CompleteSettings = completeSettings(snapshot.settings ?? {})
  const redirects = yield* redirectSteps(snapshot.redirects)
  const headers = yield* headerRuleSteps(snapshot.headers, settings.headers)
  let directories: Directories | undefined
  return {
    snapshot,
    liveSince,
    settings,
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
  }
}

function completeSettings(said: Partial<SiteSettings>): CompleteSettings {
  return {
    indexFiles: said.indexFiles ?? defaultSettings.indexFiles,
    cleanUrls: said.cleanUrls ?? defaultSettings.cleanUrls,
    trailingSlash: said.trailingSlash ?? 'auto',
    directoryListing: said.directoryListing ?? defaultSettings.directoryListing,
    spaMode: said.spaMode ?? '',
    custom404: said.custom404 ?? '',
    headers: said.headers ?? [],
  }
}
