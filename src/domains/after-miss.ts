import { domainMissesMax, domainMissingMsMin } from '#site/limits.ts'
import type { CustomDomain } from '#store/names/custom-domains.ts'
import type { DnsRecords } from './dns-records.ts'
import { lossSentence, missSentence } from './domain-sentences.ts'

interface AfterMiss {
  readonly verified?: false
  readonly misses: number
  readonly missingSince: number | null
  readonly ownershipWarning: string
}

/** What becomes of a verified domain when a look-up was answered without its proof. */
export function afterMiss(domain: CustomDomain, records: DnsRecords, now: number): AfterMiss {
  const misses = domain.misses + 1
  const missingSince = domain.missingSince ?? now
  if (misses >= domainMissesMax && now - missingSince >= domainMissingMsMin) {
    const ownershipWarning = lossSentence('missing', records, now)
    return { verified: false, misses: 0, missingSince: null, ownershipWarning }
  }
  const ownershipWarning = missSentence({ misses, missingSince }, records)
  return { misses, missingSince, ownershipWarning }
}
