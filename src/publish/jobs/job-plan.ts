import { z } from 'zod'
import { parseSitePath, type SitePath } from '#site/path.ts'

const isSitePath = (value: unknown): value is SitePath =>
  typeof value === 'string' && parseSitePath(value) !== null

const uploadedFile = z.object({
  path: z.custom<SitePath>(isSitePath),
  pack: z.string(),
  offset: z.int().min(0),
  bytes: z.int().min(0),
  sha256: z.string(),
})

const jobPlan = z.object({
  files: z.array(uploadedFile).readonly(),
  skippedFiles: z.array(z.object({ name: z.string(), reason: z.string() })).readonly(),
  /** False: visitors get no assets of earlier versions. */
  retain: z.boolean().default(true),
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
