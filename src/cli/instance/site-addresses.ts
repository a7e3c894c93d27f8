import { z } from 'zod'
import { bestAddress } from '#site/best-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Instance } from './instance.ts'

/** Where a Sitehost shows a site of the account that asks. */
export interface SiteAddresses {
  /** The one that people should see. */
  readonly best: URL
  /** `s--…` below the domain of the Sitehost. */
  readonly permanent: URL
  /** The first name that was claimed for it below that domain. */
  readonly claimed: string | null
  /** Visitors get the site there now. */
  readonly isLive: boolean
}

const httpAddress = z.url({ protocol: /^https?$/ })

const sites = z.object({
  sites: z.array(
    z.object({
      rkey: z.string(),
      cid: z.string().nullable(),
      state: z.string(),
      url: httpAddress,
      primary: z.string().nullable(),
      domains: z.array(
        z.union([
          z.object({ type: z.literal('sitehost'), domain: z.string() }),
          z.object({ type: z.literal('custom'), domain: z.string(), verified: z.boolean() }),
        ]),
      ),
    }),
  ),
})

/** Null: the Sitehost does not have the site. Throws CommandError. */
export async function siteAddressesAt(
  instance: Instance,
  site: SiteName,
  signal?: AbortSignal,
): Promise<SiteAddresses | null> {
  const request = { method: 'GET', path: '/api/user/sites', ...(signal && { signal }) } as const
  const { sites: rows } = await instance.ask(request, sites)
  const row = rows.find(({ rkey }) => rkey === site)
  if (row === undefined) return null
  const claimed = row.domains.find(({ type }) => type === 'sitehost')?.domain
  return {
    best: bestAddress(row),
    permanent: new URL(row.url),
    claimed: claimed?.split('.', 1)[0] ?? null,
    isLive: row.cid !== null && row.state !== 'offline',
  }
}
