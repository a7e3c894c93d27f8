import { z } from 'zod'
import { namedSite } from '#cli/account/own-sites.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, NotLiveError } from '#cli/command-error.ts'
import { isDesktop, openInBrowser } from '#cli/open-in-browser.ts'
import { bestAddress } from '#site/best-address.ts'
import { type InstanceOptions, openInstance } from './instance.ts'

export interface OpenOptions extends InstanceOptions {
  readonly print?: true
}

const sites = z.object({
  sites: z.array(
    z.object({
      rkey: z.string(),
      cid: z.string().nullable(),
      state: z.string(),
      url: z.url(),
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

/**
 * Prints the address of a site, and opens it where somebody sits at a terminal. Throws CommandError, and NotLiveError if
 * visitors get nothing there.
 */
export async function openSiteAddress(
  name: string | undefined,
  options: OpenOptions,
  context: CommandContext,
): Promise<void> {
  const { console } = context
  const site = await namedSite({ ...(name !== undefined && { site: name }) })
  const instance = await openInstance(options, context)
  const { sites: rows } = await instance.ask({ method: 'GET', path: '/api/user/sites' }, sites)
  const row = rows.find(({ rkey }) => rkey === site)
  if (row === undefined) {
    const advice = 'Your account’s sites are those of: sitehost sites'
    throw new CommandError(`${instance.origin} does not have ${site} of yours. ${advice}`)
  }
  const url = bestAddress(row)
  const live = row.cid !== null && row.state !== 'offline'
  console.say(options.json ? JSON.stringify({ site, url: url.href, live }) : url.href)
  if (!live) throw new NotLiveError(`${instance.origin} does not show ${site} now.`)
  const isWatched = console.isInteractive && !options.print && !options.json
  if (isWatched && isDesktop()) openInBrowser(url)
}
