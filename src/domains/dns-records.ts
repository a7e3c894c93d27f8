import { toBase32 } from '@atcute/multibase'
import type { CustomDomain } from '#store/names/custom-domains.ts'

/** The records that a domain's owner sets at their DNS provider. */
export interface DnsRecords {
  /** Proves ownership. */
  readonly txt: { readonly name: string; readonly value: string }
  /** Routes visitors to us. */
  readonly cname: { readonly name: string; readonly target: string }
}

export function dnsRecordsFor({ id, did, domain }: CustomDomain, baseDomain: string): DnsRecords {
  return {
    txt: { name: `_sitehost.${domain}`, value: did },
    cname: { name: domain, target: `${id}.dns.${baseDomain}` },
  }
}

const idBytes = 10

/** A new custom domain's id: 16 characters of `a-z 2-7`, valid in a host name. */
export function newDomainId(): string {
  return toBase32(crypto.getRandomValues(new Uint8Array(idBytes)))
}

export const isDomainId = (input: string): boolean => /^[a-z2-7]{16}$/.test(input)
