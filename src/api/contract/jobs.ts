import { z } from 'zod'
import { count } from './rows.ts'

export const jobStatus = z.enum(['pending', 'processing', 'uploading', 'completed', 'failed'])

export const jobProgress = z.strictObject({
  phase: z.enum([
    'validating',
    'compressing',
    'uploading',
    'creating_manifest',
    'finalizing',
    'done',
  ]),
  totalFiles: count,
  filesProcessed: count,
  filesUploaded: count,
  filesReused: count,
  bytesTotal: count,
  bytesUploaded: count,
  currentFile: z.string().nullable(),
})

export const jobResult = z.strictObject({
  success: z.literal(true),
  uri: z.string(),
  cid: z.string(),
  fileCount: count,
  siteName: z.string(),
  url: z.string(),
  live: z.boolean().describe('Whether visitors see it already; if not, they will in a moment'),
  uploadedCount: count,
  reusedCount: count,
  skippedFiles: z
    .array(z.strictObject({ name: z.string(), reason: z.string() }))
    .describe('What was left out, and by which rule'),
})
