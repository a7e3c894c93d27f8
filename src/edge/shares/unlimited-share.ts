import type { SiteAddress } from '#site/site-address.ts'
import { NameQuota } from './name-quota.ts'
import { NetworkShares } from './network-shares.ts'
import { AccountShare, SiteShare } from './site-share.ts'
import { namesMax } from './visit-counts.ts'

/** For a site that nobody shares a machine with: the preview of a folder. */
export function unlimitedShare(address: SiteAddress): SiteShare {
  return new SiteShare(address, new AccountShare(), {
    allowances: { site: null, account: null },
    elapsed: () => 0,
    now: () => 0,
    today: 0,
    salt: null,
    appOrigin: null,
    names: new NameQuota(namesMax),
    networks: new NetworkShares({ site: null, account: null }),
    onUnsaved: () => undefined,
    onRefused: () => undefined,
  })
}
