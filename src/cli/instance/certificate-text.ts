import { z } from 'zod'
import { dayText, timeText } from '#cli/time-text.ts'
import { certificateProblems, certificateStates } from '#site/certificate-state.ts'

/** As `GET /api/user/domains` has it. */
export const certificateRow = z.object({
  state: z.enum(certificateStates),
  validUntil: z.string().nullable(),
  nextTryAt: z.string().nullable(),
  problem: z
    .object({
      kind: z.enum(certificateProblems),
      detail: z.string().nullable(),
      advice: z.string(),
    })
    .nullable(),
})

type CertificateRow = z.output<typeof certificateRow>

/** The state in a few words. */
export function certificateText({ state, validUntil }: CertificateRow): string {
  switch (state) {
    case 'waiting-for-dns':
      return 'certificate waits for DNS'
    case 'ordered':
      return 'certificate ordered'
    case 'refused':
      return 'no certificate'
    case 'valid':
      return `certificate until ${dayOf(validUntil)}`
    case 'expired':
      return `certificate expired ${dayOf(validUntil)}`
  }
}

/** What is wrong, what to do, the authority's words, and when it is tried again; null: nothing is wrong. */
export function certificateWarning({ nextTryAt, problem }: CertificateRow): string | null {
  if (problem === null) return null
  const { advice, detail } = problem
  const words = detail === null ? '' : ` (${detail})`
  const next = nextTryAt === null ? '' : ` Next try: ${timeText(nextTryAt)}.`
  return `${advice}${words}${next}`
}

const dayOf = (instant: string | null): string => dayText(instant ?? '')
