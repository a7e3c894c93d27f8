import type { Log } from '#observe/log.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import { checkDns } from './check-dns.ts'

interface ReportContext {
  readonly applicationHost: string
  readonly baseDomain: string
  readonly lookUp: LookUp
  readonly log: Log
}

/** Logs which DNS records of a service that orders certificates are missing, or lead elsewhere. Ends with its look-ups: ten seconds at most. */
export async function reportDns(context: ReportContext): Promise<void> {
  const { applicationHost: application, baseDomain, log, lookUp } = context
  for (const { advice, level, seen } of await checkDns({ application, baseDomain }, lookUp)) {
    if (level === 'problem') log.warn('DNS record missing', { seen, advice })
    if (level === 'warning') log.warn('DNS record not as expected', { seen, advice })
  }
}
