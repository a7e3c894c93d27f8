import { ownNamespace } from '#site/namespace.ts'
import type { VersionSource } from '#site/record/version-record.ts'
import { type VersionKey, versionKeyAt } from '#site/version-key.ts'

/** The version record that a publish writes: the same in every attempt at its job. */
export interface NewVersion {
  readonly key: VersionKey
  readonly message?: string
  readonly source?: VersionSource
  /** Left out: the version goes live. */
  readonly preview?: NewPreview
}

export interface VersionToWrite extends NewVersion {
  /** Of all files, decoded; null: not known. */
  readonly bytes: number | null
  /** The version that it was made from: it is not pruned, so that the job can read it once more after a crash. */
  readonly base?: VersionKey | null
}

export interface NewPreview {
  readonly alias?: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** A version made at this time, which goes live. */
export const newVersion = (now: number): NewVersion => ({
  key: versionKeyAt(now, Math.floor(Math.random() * 1024)),
})

/** What an account's server must grant for version records. */
export const versionScope = `repo:${ownNamespace.version}`

/** For the owner: why there is no version record of what was published, and what to do. */
export const noScopeSentence =
  'This version is not in the site’s history, because you signed in before Sitehost kept one. Sign out and in again to keep the next ones.'
export const noPreviewScopeSentence =
  'You signed in before Sitehost had previews. Sign out and in again to allow it to write them, then try again. Nothing was published.'
export const refusedVersionSentence =
  'This version is not in the site’s history: your account’s server did not accept the record for it. The site itself is published.'
export const overQuotaSentence = (max: number): string =>
  `This version is not in the site’s history, which has ${max} entries. Forget some of them, or unpin them, to keep the next ones.`
export const overPreviewQuotaSentence = (max: number): string =>
  `This site has ${max} versions and previews, and cannot have more. Forget some of them to make another preview. Nothing was published.`
export const unreadVersionSentence =
  'This version is in your repository, but was not read here yet. It is in the site’s history in a moment.'
export const unservedVersionSentence = (problem: string): string =>
  `This version is in your repository, but has no address here: ${sentenceOf(problem)}`
export const unservedPreviewSentence = (problem: string): string =>
  `The preview is in your repository, but cannot be served: ${sentenceOf(problem)}`

const sentenceOf = (problem: string): string => `${problem.replace(/\.$/, '')}.`
