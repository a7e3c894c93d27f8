import { namedSite } from '#cli/account/own-sites.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, NotLiveError } from '#cli/command-error.ts'
import { isDesktop, openInBrowser } from '#cli/open-in-browser.ts'
import { type InstanceOptions, openInstance } from './instance.ts'
import { siteAddressesAt } from './site-addresses.ts'

export interface OpenOptions extends InstanceOptions {
  readonly print?: true
}

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
  const found = await siteAddressesAt(instance, site)
  if (found === null) {
    const advice = 'Your account’s sites are those of: sitehost sites'
    throw new CommandError(
      `${instance.origin} does not have ${site} of yours, or has not read it yet. ${advice}`,
    )
  }
  const { best: url, isLive: live } = found
  console.say(options.json ? JSON.stringify({ site, url: url.href, live }) : url.href)
  if (!live) throw new NotLiveError(`${instance.origin} does not show ${site} now.`)
  const isWatched = console.isInteractive && !options.print && !options.json
  if (isWatched && isDesktop()) openInBrowser(url)
}
