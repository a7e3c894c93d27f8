import { z } from 'zod'
import { namedSite, type SiteOptions } from '#cli/account/own-sites.ts'
import { columns } from '#cli/columns.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { UsageError } from '#cli/command-error.ts'
import { counted } from '#cli/counted.ts'
import { byteText } from '#site/byte-text.ts'
import { type InstanceOptions, openInstance } from './instance.ts'

const count = z.number()

const visits = z.object({
  since: z.string(),
  days: z.array(
    z.object({
      day: z.string(),
      requests: count,
      refused: count,
      bytes: count,
      pageViews: count,
      // A service from before they were counted.
      visitors: count.default(0),
    }),
  ),
  pages: z.array(z.object({ path: z.string().nullable(), views: count })),
  referrers: z.array(z.object({ host: z.string().nullable(), views: count })),
  countries: z.array(z.object({ country: z.string().nullable(), views: count })).default([]),
  statuses: z.array(z.object({ status: z.string(), count })),
})

type Visits = z.output<typeof visits>

export interface VisitsOptions extends InstanceOptions, SiteOptions {
  readonly days?: string
}

/** Shows how often a site was visited. Throws CommandError. */
export async function showVisits(
  name: string | undefined,
  options: VisitsOptions,
  context: CommandContext,
): Promise<void> {
  const { days = '30', json } = options
  if (!/^\d{1,2}$/.test(days))
    throw new UsageError('--days: expected a number of days, at most 90.')
  const site = await namedSite({ ...options, ...(name && { site: name }) })
  const instance = await openInstance(options, context)
  const path = `/api/site/${encodeURIComponent(site)}/visits?days=${days}`
  const answer = await instance.ask({ method: 'GET', path }, visits)
  const { console } = context
  if (json) return console.say(JSON.stringify({ site, ...answer }))
  if (answer.days.length === 0) {
    return console.note(`Nobody has visited ${site} at ${instance.origin} since ${answer.since}.`)
  }
  for (const line of linesOf(answer)) console.say(line)
}

function linesOf({ countries, days, pages, referrers, statuses }: Visits): string[] {
  const byDay = days.map(({ bytes, day, pageViews, refused, requests, visitors }) => [
    day,
    `about ${counted(visitors, 'visitor')}`,
    counted(pageViews, 'page view'),
    counted(requests, 'request'),
    byteText(bytes),
    refused === 0 ? '' : `${refused} turned away`,
  ])
  const byPage = pages.map(({ path, views }) => [counted(views, 'view'), path ?? 'other pages'])
  const byHost = referrers.map(({ host, views }) => [
    counted(views, 'view'),
    `from ${host ?? 'other hosts'}`,
  ])
  const byCountry = countries.map(({ country, views }) => [
    counted(views, 'view'),
    `in ${country ?? 'other countries'}`,
  ])
  const byStatus = statuses.map(({ count, status }) => [counted(count, 'answer'), status])
  const parts = [byDay, byPage, byHost, byCountry, byStatus].filter((rows) => rows.length > 0)
  return parts.flatMap((rows, at) => [...(at === 0 ? [] : ['']), ...columns(rows)])
}
