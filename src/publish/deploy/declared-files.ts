import type { BaseChanges } from '#publish/files-of-base.ts'
import { type SiteLimits, siteFileBytesMax } from '#site/limits.ts'
import { describeBadPath, parseSitePath, type SitePath } from '#site/path.ts'
import { siteFileName, skipReason } from '#site/upload/path-rules.ts'
import { nothingLeft, UploadAdmission } from '#site/upload/upload-admission.ts'
import { invalid, quoted, tooLarge } from '#site/upload/upload-refusal.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'
import type { DeployPlan } from './deploy-plan.ts'
import {
  type AskedPreview,
  describedPreview,
  describedVersion,
  readSettingsFields,
} from './described-version.ts'

/** What a client says that the site becomes. Its paths are not checked yet. */
export interface DeclaredDeploy {
  readonly files: readonly {
    readonly path: string
    readonly sha256: string
    readonly size: number
  }[]
  /** `live`, or the key of a version record. */
  readonly base?: string | undefined
  readonly remove?: readonly string[] | undefined
  readonly into?: string | undefined
  readonly preview?: AskedPreview | undefined
  readonly message?: string | undefined
  readonly source?: Readonly<Record<string, string | undefined>> | undefined
  readonly settings?: unknown
}

export interface AdmittedDeploy extends Omit<DeployPlan, 'base'> {
  /** Null: the files are the whole site. */
  readonly changes: BaseChanges | null
}

/** Checks what can be checked without the account's server, as for uploads. Throws UploadRefusedError. */
export function admitDeclared(
  declared: DeclaredDeploy,
  limits: SiteLimits,
  now: number,
): AdmittedDeploy {
  const changes = changesOf(declared)
  const admission = new UploadAdmission<DeployPlan['files'][number]>(limits, (refusal) => {
    throw refusal
  })
  const sizes = new Map<string, number>()
  for (const { path: name, sha256, size: bytes } of declared.files) {
    const path = admission.admit(name)
    if (path === null) continue
    if ((sizes.get(sha256) ?? bytes) !== bytes) {
      throw invalid(`${quoted(name)} has the SHA-256 of a file of another size.`)
    }
    sizes.set(sha256, bytes)
    admission.add({ path, bytes, sha256 })
  }
  const { files, skippedFiles, siteFile } = admission.filesAsNamed
  if (changes === null && files.length === 0) throw invalid(nothingLeft)
  if (siteFile !== null && siteFile.bytes > siteFileBytesMax) {
    throw tooLarge(`${siteFileName} is larger than ${siteFileBytesMax} bytes.`)
  }
  const settings = readSettingsFields(declared.settings)
  const version = {
    ...describedVersion(declared.message, declared.source),
    ...(declared.preview && { preview: describedPreview(declared.preview, now) }),
  }
  return { files, skippedFiles, siteFile, settings, version, changes }
}

function changesOf({ base, remove = [], into }: DeclaredDeploy): BaseChanges | null {
  if (base === undefined) return null
  return {
    version: base === liveBase ? null : versionOf(base),
    remove: remove.map((path) => pathOf('remove', path)),
    into: into === undefined ? null : folderOf(into),
  }
}

/** A folder whose files become these ones. Throws UploadRefusedError, also for one whose files sites leave out. */
export function folderOf(into: string): SitePath {
  const path = pathOf('into', into)
  const reason = skipReason(path)
  if (reason === null) return path
  throw invalid(`into: files in ${quoted(into)} are left out of sites: ${reason}.`)
}

const liveBase = 'live'

function versionOf(base: string): VersionKey {
  const key = parseVersionKey(base)
  if (key !== null) return key
  throw invalid(
    `base: expected ${quoted(liveBase)}, or the id of a version that you keep. What another program has published can be a base once it is restored.`,
  )
}

/** Folders may end with a slash. */
function pathOf(field: string, text: string): SitePath {
  const path = parseSitePath(text.replace(/\/$/, ''))
  if (path !== null) return path
  throw invalid(`${field}: bad path ${quoted(text)}: ${describeBadPath(text)}.`)
}
