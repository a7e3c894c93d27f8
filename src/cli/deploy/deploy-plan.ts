import { siteOf } from '#cli/account/own-sites.ts'
import type { AccountOptions } from '#cli/command-context.ts'
import { UsageError } from '#cli/command-error.ts'
import { originAt } from '#cli/instance/instance.ts'
import { folderOf } from '#publish/deploy/declared-files.ts'
import { describedPreview, describedVersion } from '#publish/deploy/described-version.ts'
import { type NewVersion, newVersion } from '#publish/new-version.ts'
import { previewMs } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import type { SiteName } from '#site/site-name.ts'
import { UploadRefusedError } from '#site/upload/upload-refusal.ts'
import { type Wait, waitOf } from './wait-place.ts'

/** Options of `deploy`, as given. */
export interface DeployOptions extends AccountOptions {
  readonly site?: string
  readonly into?: string
  readonly message?: string
  /** True: a preview without an alias. */
  readonly preview?: string | true
  readonly dryRun?: true
  readonly yes?: true
  readonly allowHome?: true
  readonly allowCredentials?: true
  readonly verbose?: true
  readonly via?: string
  /** True: where the Sitehost that is known shows the site. */
  readonly wait?: string | true
}

/** What the options ask for, checked. */
export interface DeployPlan {
  /** Null: the folder's `sitehost.json` or the person says it. */
  readonly site: SiteName | null
  /** Only this folder of the site is replaced; null: all of it. */
  readonly into: SitePath | null
  readonly version: NewVersion
  /** The Sitehost that does it; null: the command itself. */
  readonly via: string | null
  /** Where visitors are waited for; null: nowhere. */
  readonly wait: Wait | null
}

/** Throws UsageError. */
export function parseDeployOptions(options: DeployOptions, now: number): DeployPlan {
  const { message, preview, wait } = options
  try {
    const { message: checked } = describedVersion(message, undefined)
    const plan = {
      site: siteOf(options.site),
      into: options.into === undefined ? null : folderOf(options.into.replace(/^\.?\/+|\/+$/g, '')),
      version: {
        ...newVersion(now),
        ...(checked && { message: checked }),
        ...previewOf(preview, now),
      },
      via: options.via === undefined ? null : originAt(options.via),
      wait: waitOf(wait),
    }
    if (plan.via !== null && (plan.wait !== null || options.dryRun)) {
      throw new UsageError('--via: leave out --wait and --dry-run.')
    }
    if (plan.wait !== null && preview !== undefined) {
      throw new UsageError('--wait is for what goes live: a preview does not.')
    }
    return plan
  } catch (error) {
    if (error instanceof UploadRefusedError) throw new UsageError(`--${error.message}`)
    throw error
  }
}

function previewOf(preview: string | true | undefined, now: number): Pick<NewVersion, 'preview'> {
  if (preview === undefined) return {}
  const expiresAt = new Date(now + previewMs).toISOString()
  const alias = preview === true ? undefined : preview
  return { preview: { ...describedPreview({ alias }, now), expiresAt } }
}
