import type { Names } from '#web/server/api.ts'
import { mapDomain, mapName } from '#web/server/api.ts'
import type { Address } from './address.ts'

export type Unused = Pick<Address, 'custom' | 'domain'>

/** What the account has and no site shows. */
export function unusedOf({ customDomains, sitehostDomains }: Names): Unused[] {
  return [
    ...sitehostDomains
      .filter(({ rkey }) => rkey === '')
      .map(({ domain }) => ({ domain, custom: null })),
    ...customDomains
      .filter(({ rkey }) => rkey === null)
      .map((custom) => ({ domain: custom.domain, custom })),
  ]
}

/** The site is shown there from now on. */
export const assignTo = ({ custom, domain }: Unused, rkey: string): Promise<void> =>
  custom === null ? mapName(domain, rkey) : mapDomain(custom.id, rkey)
