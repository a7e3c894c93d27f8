import type { CustomDomain } from '#web/server/api.ts'

/** One address of a site. */
export interface Address {
  readonly domain: string
  readonly kind: 'permanent' | 'claimed' | 'own'
  /** Of a domain of the owner's. */
  readonly custom: CustomDomain | null
  readonly isPrimary: boolean
}
