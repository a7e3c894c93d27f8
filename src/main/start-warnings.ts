import { sharedDomain } from '#domains/domain-name.ts'
import type { Config } from '#main/config/config.ts'

/** What works, but should be otherwise: sentences for the log (security.md §1). */
export function startWarnings({
  origin,
  baseDomain,
}: Pick<Config, 'origin' | 'baseDomain'>): string[] {
  const { hostname, protocol } = new URL(origin)
  const warnings: string[] = []
  const shared = sharedDomain(hostname, baseDomain)
  if (shared !== null) {
    warnings.push(
      `BASE_URL and BASE_DOMAIN are in one registered domain, ${shared}: pages of ${baseDomain} can set cookies for ${hostname}. Give the sites a domain of their own.`,
    )
  }
  if (protocol === 'http:' && !isLoopback(hostname)) {
    warnings.push('BASE_URL is http: whoever is on the way reads cookies and passwords.')
  }
  return warnings
}

const isLoopback = (hostname: string): boolean =>
  /^(?:127(?:\.\d+){3}|\[::1\])$/.test(hostname) || /(?:^|\.)localhost$/.test(hostname)
