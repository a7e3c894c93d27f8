import type { AnswerTo } from '#api/contract/client.ts'
import type { CustomDomain } from '#web/server/api.ts'

type Answer = AnswerTo<'POST /api/domain/custom/verify'>
type Row = Pick<CustomDomain, 'domain' | 'verified' | 'lastCheckedAt' | 'warning'>

export interface LookUpNews {
  readonly news: string
  /** What the look-up found wrong, where the domain's own warning does not say it. */
  readonly problem: string | null
}

/**
 * What a look-up means, by its answer and the domain as it was before and is after it: what was verified stays so
 * for days without its record, and what nobody answered proves nothing.
 */
export function lookUpNews(before: Row, { verified, error }: Answer, after: Row): LookUpNews {
  const { domain } = before
  if (verified) return { news: `${domain} is verified.`, problem: null }
  // Only what was answered counts as a check.
  if (after.lastCheckedAt === before.lastCheckedAt) {
    return { news: `${domain} could not be looked up.`, problem: error }
  }
  return { news: `${domain} ${stateOf(before, after)}`, problem: after.warning ? null : error }
}

function stateOf(before: Row, after: Row): string {
  if (after.verified) return 'is still verified, but its TXT record does not show it any more.'
  return before.verified ? 'is not verified any more.' : 'is not verified yet.'
}
