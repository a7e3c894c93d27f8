import type { ApiContext } from '#api/context.ts'
import { parseSubdomainLabel } from '#site/subdomain-label.ts'

/** The domain that a label makes; null for one that nobody may claim, the application's own among them. */
export function claimableDomain(
  handle: string,
  {
    baseDomain,
    origin,
    reservedNames,
  }: Pick<ApiContext, 'baseDomain' | 'origin' | 'reservedNames'>,
): string | null {
  const label = parseSubdomainLabel(handle)
  if (label === null || reservedNames.has(label)) return null
  const domain = `${label}.${baseDomain}`
  const application = new URL(origin).hostname
  const isApplications = application === domain || application.endsWith(`.${domain}`)
  return isApplications ? null : domain
}
