import { z } from 'zod'
import { count, instant } from '#api/contract/rows.ts'

export const reportKind = z.enum(['phishing', 'malware', 'copyright', 'illegal', 'other'])

export const reportTextCharsMax = 2000

export const reportBody = z.object({
  url: z.string().min(1).max(2000).describe('Of a site here, as the browser shows it'),
  kind: reportKind,
  text: z.string().trim().min(1).max(reportTextCharsMax),
  contact: z.string().trim().max(200).optional().describe('How to reach you, if you like'),
})

export const reportRow = z.strictObject({
  id: z.string(),
  url: z.string(),
  did: z.string(),
  rkey: z.string(),
  kind: reportKind,
  text: z.string(),
  contact: z.string().nullable(),
  state: z.enum(['open', 'handled']),
  times: count.describe('How often it came from the same network'),
  createdAt: instant,
  lastAt: instant,
  handledBy: z.string().nullable(),
  handledAt: instant.nullable(),
  outcome: z.string().nullable(),
})
