import type { CustomDomain } from '#store/names/custom-domains.ts'

/** What a domain's owner sets at their DNS provider. */
export interface DnsRecords {
  /** Proves whose the domain is. */
  readonly txt: { readonly name: string; readonly value: string }
  /** Leads visitors here. */
  readonly cname: { readonly name: string; readonly target: string }
}

export function dnsRecordsFor({ id, did, domain }: CustomDomain, baseDomain: string): DnsRecords {
  return {
    txt: { name: `_sitehost.${domain}`, value: did },
    cname: { name: domain, target: `${id}.dns.${baseDomain}` },
  }
}
