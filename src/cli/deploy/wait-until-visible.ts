import { setTimeout } from 'node:timers/promises'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, NotLiveError } from '#cli/command-error.ts'
import type { Instance } from '#cli/instance/instance.ts'
import { type SiteAddresses, siteAddressesAt } from '#cli/instance/site-addresses.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import { belowOf, headOf } from './wait-place.ts'

interface WaitContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
  readonly waitMsMax?: number
}

const waitMsMaxDefault = 60_000
const pauseMs = 500

interface Published {
  readonly address: SiteAddress
  readonly cid: string
}

/**
 * Says a result, with the address where visitors get it: null if they do not, or are not waited for. Throws NotLiveError after
 * a minute.
 */
export async function resultOfWait(
  place: URL | Instance | null,
  published: Published,
  context: Pick<CommandContext, 'console' | 'fetch' | 'signal'> & Pick<WaitContext, 'waitMsMax'>,
  say: (url: string | null) => void,
): Promise<void> {
  if (place === null) return say(null)
  const { waitMsMax = waitMsMaxDefault } = context
  const givesUpAt = performance.now() + waitMsMax
  try {
    context.console.progress(`Waiting for ${new URL(place.origin).host}`)
    if (place instanceof URL) {
      say((await waitUntilVisible(published, place, givesUpAt, context)).href)
      return
    }
    const { best, permanent } = await addressesWhenKnown(place, published, givesUpAt, context)
    await waitUntilVisible(published, permanent, givesUpAt, context)
    say(best.href)
  } catch (error) {
    if (error instanceof NotLiveError) say(null)
    throw error
  }
}

/** Waits until a Sitehost has read the site. Throws NotLiveError, also if it does not answer. */
async function addressesWhenKnown(
  instance: Instance,
  { address }: Published,
  givesUpAt: number,
  { signal }: Pick<WaitContext, 'signal'>,
): Promise<SiteAddresses> {
  for (;;) {
    const found = await siteAddressesAt(instance, address.name).catch((cause) => {
      if (!(cause instanceof CommandError)) throw cause
      const { host } = new URL(instance.origin)
      const asked = `The site is published, but ${host} does not say where it shows it:`
      const without = 'To wait without asking it, name an address of the site: --wait=https://…'
      throw new NotLiveError([asked, ...cause.lines, without], { cause })
    })
    if (found !== null) return found
    if (performance.now() >= givesUpAt) throw new NotLiveError(notYet(new URL(instance.origin)))
    await setTimeout(pauseMs, undefined, { signal })
  }
}

/**
 * Waits until visitors get the record with this CID; returns the address where they do. `at` is an address of the site,
 * or that of an instance's base domain. Throws NotLiveError.
 */
async function waitUntilVisible(
  { address: site, cid }: Published,
  at: URL,
  givesUpAt: number,
  { fetch, signal }: WaitContext,
): Promise<URL> {
  const below = belowOf(at, site)
  for (;;) {
    for (const url of [at, below]) {
      if ((await shownAt(url, site, { fetch, signal })) === cid) return url
    }
    if (performance.now() >= givesUpAt) throw new NotLiveError(notYet(at))
    await setTimeout(pauseMs, undefined, { signal })
  }
}

const notYet = (at: URL): string =>
  `The site is published, but ${at.host} does not show it yet. It reads it from the network; look again in a few minutes.`

/** CID of the site's record that is shown there; null: none, or another site. */
async function shownAt(url: URL, site: SiteAddress, context: WaitContext): Promise<string | null> {
  const seen = await headOf(url, context)
  return seen?.record === siteUri(site) ? seen.cid : null
}
