import { z } from 'zod'
import { parseSitePath, type SitePath } from '#site/path.ts'

const isSitePath = (value: unknown): value is SitePath =>
  typeof value === 'string' && parseSitePath(value) !== null

const sitePath = z.custom<SitePath>(isSitePath)
const file = { path: sitePath, bytes: z.int().min(0), sha256: z.string() }
const uploadedFile = z.object({ ...file, pack: z.string(), offset: z.int().min(0) })
const heldFile = z.object({ ...file, pack: z.null() })

const jobPlan = z.object({
  files: z.array(z.union([uploadedFile, heldFile])).readonly(),
  skippedFiles: z.array(z.object({ name: z.string(), reason: z.string() })).readonly(),
  /** False: visitors get no assets of earlier versions. */
  retain: z.boolean().default(true),
  /** The changes to the site that the job expects; null: the files are the whole site. */
  changes: z
    .object({ remove: z.array(sitePath).readonly(), into: sitePath.nullable() })
    .nullable()
    .default(null),
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
