import { z } from 'zod'
import { parseSitePath, type SitePath } from '#site/path.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'

const sitePath = z.custom<SitePath>(
  (value) => typeof value === 'string' && parseSitePath(value) !== null,
)

const versionKey = z.custom<VersionKey>(
  (value) => typeof value === 'string' && parseVersionKey(value) !== null,
)

const file = z.object({ path: sitePath, bytes: z.int().min(0), sha256: z.string() })

const deployPlan = z.object({
  files: z.array(file).readonly(),
  /** The `sitehost.json` at the root, which is not part of the site; null: none. */
  siteFile: file.nullable().default(null),
  skippedFiles: z.array(z.object({ name: z.string(), reason: z.string() })).readonly(),
  /** Fields to set; null: none. */
  settings: z
    .custom<SiteSettings>((value) => parseSettings(value).ok)
    .nullable()
    .default(null),
  version: z
    .object({
      message: z.string().exactOptional(),
      source: z
        .object({
          repository: z.string().exactOptional(),
          commit: z.string().exactOptional(),
          ref: z.string().exactOptional(),
          url: z.string().exactOptional(),
        })
        .exactOptional(),
      preview: z
        .object({ alias: z.string().exactOptional(), expiresAt: z.string().exactOptional() })
        .exactOptional(),
    })
    .default({}),
  /** Null: the files are the whole site. */
  base: z
    .object({
      /** Of the site's record when the deploy began; null: it had none. Compared unless the base is a version. */
      cid: z.string().nullable(),
      /** Of the version record that is changed; null: the live site is. */
      version: versionKey.nullable().default(null),
      remove: z.array(sitePath).readonly(),
      into: sitePath.nullable(),
    })
    .nullable(),
})

/** What the site becomes, stored in the deploy's row. */
export type DeployPlan = z.infer<typeof deployPlan>

/** Throws for a row that no supported version of this service has written. */
export function parseDeployPlan(text: string): DeployPlan {
  return deployPlan.parse(JSON.parse(text))
}
