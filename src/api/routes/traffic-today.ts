import type { ApiContext } from '#api/context.ts'
import type { TrafficRow } from '#api/contract/rows.ts'
import { shareWarning } from '#site/share-warning.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { utcDayOf } from '#site/utc-day.ts'
import { listTraffic } from '#store/sites/traffic.ts'

/** What visitors took of the account's sites on this day (UTC); `ofAll`: together. */
export async function trafficToday(
  did: Did,
  { db, now, shares }: Pick<ApiContext, 'db' | 'now' | 'shares'>,
): Promise<{ readonly ofAll: TrafficRow; ofSite(name: SiteName): TrafficRow }> {
  const rows = await listTraffic(db, did, utcDayOf(now()))
  const bySite = new Map(rows.map((row) => [row.site, row]))
  const counts = (site: SiteName | '', max: number | null) => {
    const { bytes, refused, requests } = bySite.get(site) ?? { bytes: 0, refused: 0, requests: 0 }
    return { requests, refused, bytes: { used: bytes, max } }
  }
  const all = counts('', shares.account.bytesPerDayMax)
  return {
    ofAll: { ...all, warning: shareWarning([all.bytes]) },
    ofSite(name) {
      const row = counts(name, shares.site.bytesPerDayMax)
      return { ...row, warning: shareWarning([row.bytes, all.bytes]) }
    },
  }
}
