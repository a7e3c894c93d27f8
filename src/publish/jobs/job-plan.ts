import { z } from 'zod'
import type { NewVersion } from '#publish/new-version.ts'
import { parseSitePath, type SitePath } from '#site/path.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'
import { isForeignName, parseAnySiteName, type SiteName } from '#site/site-name.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'

const isSitePath = (value: unknown): value is SitePath =>
  typeof value === 'string' && parseSitePath(value) !== null

const sitePath = z.custom<SitePath>(isSitePath)
const file = { path: sitePath, bytes: z.int().min(0), sha256: z.string() }
const uploadedFile = z.object({ ...file, pack: z.string(), offset: z.int().min(0) })
const heldFile = z.object({ ...file, pack: z.null() })

const isVersionKey = (value: unknown): value is VersionKey =>
  typeof value === 'string' && parseVersionKey(value) !== null

const versionKey = z.custom<VersionKey>(isVersionKey)

const foreignSite = z.custom<SiteName>((value) => {
  const name = typeof value === 'string' ? parseAnySiteName(value) : null
  return name !== null && isForeignName(name)
})

const newVersion: z.ZodType<NewVersion> = z.object({
  key: versionKey,
  message: z.string().exactOptional(),
  source: z
    .object({
      repository: z.string().exactOptional(),
      commit: z.string().exactOptional(),
      ref: z.string().exactOptional(),
      url: z.string().exactOptional(),
    })
    .exactOptional(),
  preview: z.object({ alias: z.string().exactOptional(), expiresAt: z.string() }).exactOptional(),
})

const jobPlan = z.object({
  files: z.array(z.union([uploadedFile, heldFile])).readonly(),
  skippedFiles: z.array(z.object({ name: z.string(), reason: z.string() })).readonly(),
  /** False: visitors get no assets of earlier versions. */
  retain: z.boolean().default(true),
  /** The changes to a version, or to the site that the job expects; null: the files are the whole site. */
  changes: z
    .object({
      version: versionKey.nullable().default(null),
      remove: z.array(sitePath).readonly(),
      into: sitePath.nullable(),
    })
    .nullable()
    .default(null),
  /** Fields to set; null: none. */
  settings: z
    .custom<SiteSettings>((value) => parseSettings(value).ok)
    .nullable()
    .default(null),
  /** Left out by versions of this service that kept no history. */
  version: newVersion.exactOptional(),
  /** The job makes this version live, and has no files. */
  restore: z
    .union([
      z.object({ key: versionKey, settings: z.boolean() }),
      z.object({ stateId: z.string(), settings: z.boolean() }),
    ])
    .exactOptional(),
  /** The job makes the site from this foreign one, and has no files. */
  bringOver: z.object({ from: foreignSite }).exactOptional(),
})

/** The part of an upload that its job needs, stored in the job's row. */
export type JobPlan = z.infer<typeof jobPlan>

/** Null for a plan that no supported version of this service has written. */
export function parseJobPlan(text: string): JobPlan | null {
  try {
    return jobPlan.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
