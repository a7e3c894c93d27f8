import { createHash } from 'node:crypto'
import { toBase32 } from '@atcute/multibase'
import type { SiteAddress } from './site-address.ts'

/** `v--` and 130 bits of a hash: the address of one version for ever, by its `versionDigest`. */
export function versionLabel({ did, name }: SiteAddress, digest: string): string {
  const hash = createHash('sha256').update(`${did}/${name}/${digest}`).digest()
  return `v--${toBase32(hash).slice(0, 26)}`
}

/** Whether it looks like a label that `versionLabel` makes. */
export const isVersionLabel = (label: string): boolean => label.startsWith('v--')
