import type { NewPreview } from '#publish/new-version.ts'
import { aliasCharsMax, messageGraphemesMax, previewDaysMax } from '#site/limits.ts'
import { ownNamespace } from '#site/namespace.ts'
import { parsePreviewAlias } from '#site/preview-alias.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'
import { parseVersionRecord, type VersionSource } from '#site/record/version-record.ts'
import { findUnusablePath } from '#site/rules/header-rules.ts'
import { invalid } from '#site/upload/upload-refusal.ts'

/** What a deploy says of itself; the record of its version has it. */
export interface VersionDescription {
  readonly message?: string
  readonly source?: VersionSource
  /** Left out: it goes live. */
  readonly preview?: Partial<NewPreview>
}

/** Checks a description as the record's readers do. Throws UploadRefusedError. */
export function describedVersion(
  message: string | undefined,
  source: Readonly<Record<string, string | undefined>> | undefined,
): VersionDescription {
  const parsed = parseVersionRecord({ ...blankRecord, message, source })
  const { message: read, source: from } = parsed.ok ? parsed.version : {}
  if (message !== undefined && read === undefined) {
    throw invalid(`message: expected at most ${messageGraphemesMax} characters, none of them NUL`)
  }
  const lost = Object.keys(source ?? {}).find((name) => !(name in (from ?? {})))
  if (lost !== undefined) {
    throw invalid(`source.${lost}: expected a shorter one, and of a URL one with http or https`)
  }
  return { ...(read && { message: read }), ...(from && { source: from }) }
}

export interface AskedPreview {
  readonly alias?: string | undefined
  /** ISO 8601, in any time zone. */
  readonly expiresAt?: string | undefined
}

/** Throws UploadRefusedError. */
export function describedPreview(
  { alias, expiresAt }: AskedPreview,
  now: number,
): Partial<NewPreview> {
  if (alias !== undefined && parsePreviewAlias(alias) === null) {
    throw invalid(
      `preview.alias: expected 3 to ${aliasCharsMax} of a-z, 0-9 and single hyphens inside`,
    )
  }
  return {
    ...(alias !== undefined && { alias }),
    ...(expiresAt !== undefined && { expiresAt: previewEnd(expiresAt, now) }),
  }
}

/** In UTC. Throws UploadRefusedError for a time that is over, or too far away. */
export function previewEnd(time: string, now: number): string {
  const end = Date.parse(time)
  if (!(end > now && end <= now + previewDaysMax * dayMs)) {
    throw invalid(`preview.expiresAt: expected a time within ${previewDaysMax} days`)
  }
  return new Date(end).toISOString()
}

const dayMs = 24 * 60 * 60 * 1000

const blankRecord = {
  $type: ownNamespace.version,
  site: 'site',
  root: { $type: ownNamespace.nodes.directory, type: 'directory', entries: [] },
  createdAt: new Date(0).toISOString(),
}

/** The settings of a request, as the settings route takes them. Throws UploadRefusedError. */
export function readSettingsFields(input: unknown): SiteSettings | null {
  if (input === undefined) return null
  const parsed = parseSettings(input)
  if (!parsed.ok) throw invalid(`settings.${parsed.error}`.replace(/^settings\.body:/, 'settings:'))
  const unusable = findUnusablePath(parsed.settings.headers ?? [])
  if (unusable !== null) throw invalid(`settings.${unusable}`)
  return parsed.settings
}
