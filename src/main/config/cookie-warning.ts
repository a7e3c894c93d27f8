import { sharedDomain } from '#domains/domain-name.ts'
import type { Config } from './config.ts'

/** A warning when sites can set cookies for the application (security.md §1); null when they cannot. */
export function cookieWarning({
  origin,
  baseDomain,
}: Pick<Config, 'origin' | 'baseDomain'>): string | null {
  const { hostname } = new URL(origin)
  const shared = sharedDomain(hostname, baseDomain)
  return shared === null
    ? null
    : `BASE_URL and BASE_DOMAIN are in one registered domain, ${shared}: pages of ${baseDomain} can set cookies for ${hostname}. Give the sites a domain of their own.`
}
