import type { LookUp } from '#outbound/dns/look-up.ts'
import type { DnsRecords } from './dns-records.ts'

/** Where the DNS sends visitors of a domain. `unknown`: a look-up failed. */
export type Pointing =
  | { readonly kind: 'here' | 'nowhere' | 'unknown' }
  | { readonly kind: 'elsewhere'; readonly to: readonly string[] }

/**
 * `here`: a CNAME to the target, or one of its addresses, as ALIAS records of apex domains have. `elsewhere`: possibly a
 * proxy that passes visitors on.
 */
export async function lookUpPointing(
  { cname: { name, target } }: DnsRecords,
  lookUp: LookUp,
): Promise<Pointing> {
  const [alias, addresses] = await Promise.all([lookUp('CNAME', name), lookUpHost(name, lookUp)])
  if (!alias.answered || addresses === null) return { kind: 'unknown' }
  if (alias.values.includes(target)) return { kind: 'here' }
  const to = alias.values.length > 0 ? alias.values : addresses
  if (to.length === 0) return { kind: 'nowhere' }
  const ours = await lookUpHost(target, lookUp)
  const isHere = ours?.some((address) => addresses.includes(address)) ?? false
  return isHere ? { kind: 'here' } : { kind: 'elsewhere', to }
}

/** Addresses of both families; null when one of them could not be looked up. */
async function lookUpHost(name: string, lookUp: LookUp): Promise<readonly string[] | null> {
  const answers = await Promise.all([lookUp('A', name), lookUp('AAAA', name)])
  const answered = answers.filter((answer) => answer.answered)
  return answered.length < answers.length ? null : answered.flatMap(({ values }) => values)
}
