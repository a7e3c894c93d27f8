import type { ApiContext } from '#api/context.ts'
import { visitRowsMax } from '#api/contract/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { utcDate, utcDayOf } from '#site/utc-day.ts'
import { listTrafficByDay } from '#store/sites/traffic.ts'
import { visitorsByDay } from '#store/sites/visitors.ts'
import { listAllVisits, listVisits, pageViewsByDay } from '#store/sites/visits.ts'

/** What is known of a site's visits on so many days, today included. */
export async function readVisits(
  site: SiteAddress,
  days: number,
  { db, now }: Pick<ApiContext, 'db' | 'now'>,
) {
  const since = utcDayOf(now()) - days + 1
  const traffic = await listTrafficByDay(db, site, since)
  const views = new Map(
    (await pageViewsByDay(db, site, since)).map(({ count, day }) => [day, count]),
  )
  const visitors = new Map(
    (await visitorsByDay(db, site, since)).map(({ day, visitors }) => [day, visitors]),
  )
  const most = { limit: visitRowsMax, since }
  const pages = await listVisits(db, site, { kind: 'page', ...most })
  const referrers = await listVisits(db, site, { kind: 'referrer', ...most })
  const countries = await listVisits(db, site, { kind: 'country', ...most })
  const statuses = await listVisits(db, site, { kind: 'status', ...most })
  return {
    since: utcDate(since),
    days: traffic.map(({ bytes, day, ...counts }) => ({
      day: utcDate(day),
      ...counts,
      bytes: Math.max(0, bytes),
      pageViews: views.get(day) ?? 0,
      visitors: visitors.get(day) ?? 0,
    })),
    pages: pages.map(({ count, value }) => ({ path: value || null, views: count })),
    referrers: referrers.map(({ count, value }) => ({ host: value || null, views: count })),
    countries: countries.map(({ count, value }) => ({ country: value || null, views: count })),
    statuses: statuses
      .map(({ count, value }) => ({ status: value, count }))
      .toSorted((a, b) => (a.status < b.status ? -1 : 1)),
  }
}

/** All that is kept, for the account's export: the JSON of a list. */
export async function* visitPieces(
  site: SiteAddress,
  { db }: Pick<ApiContext, 'db'>,
): AsyncGenerator<string> {
  const rows = await listAllVisits(db, site)
  const visitors = (await visitorsByDay(db, site, 0)).map(({ day, visitors: count }) => {
    return { day, kind: 'visitors', value: '', count }
  })
  yield JSON.stringify(
    [...rows, ...visitors].map(({ day, value, ...row }) => ({
      day: utcDate(day),
      ...row,
      value: value || null,
    })),
  )
}
