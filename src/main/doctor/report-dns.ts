import type { Log } from '#observe/log.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import { checkDns } from './check-dns.ts'

interface ReportContext {
  readonly applicationHost: string
  readonly baseDomain: string
  readonly answersDns: boolean
  readonly lookUp: LookUp
  readonly log: Log
}

/** Logs which DNS records of a service that orders certificates are missing, or lead elsewhere. Ends with its look-ups: ten seconds at most. */
export async function reportDns(context: ReportContext): Promise<void> {
  const { answersDns, applicationHost: application, baseDomain, log, lookUp } = context
  const findings = await checkDns({ answersDns, application, baseDomain }, lookUp)
  for (const { advice, level, seen } of findings) {
    if (level === 'problem') log.warn('DNS record missing', { seen, advice })
    if (level === 'warning') log.warn('DNS record not as expected', { seen, advice })
  }
}
