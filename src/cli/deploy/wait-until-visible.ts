import { setTimeout } from 'node:timers/promises'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, NotLiveError, UsageError } from '#cli/command-error.ts'
import type { Instance } from '#cli/instance/instance.ts'
import { type SiteAddresses, siteAddressesAt } from '#cli/instance/site-addresses.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { type SiteAddress, siteLabel, siteUri } from '#site/site-address.ts'
import { siteFileName } from '#site/upload/path-rules.ts'

interface WaitContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
  readonly waitMsMax?: number
}

const waitMsMaxDefault = 60_000
const pauseMs = 500

/** Where visitors are waited for: at an address, or where the instance of `findOrigin` shows the site. */
export type Wait = URL | 'instance'

/** Null: nowhere. Throws UsageError. */
export function waitOf(wait: string | true | undefined): Wait | null {
  if (wait === undefined) return null
  if (wait === true) return 'instance'
  const url = URL.canParse(wait) ? new URL(wait) : null
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new UsageError('--wait: expected an address that begins with https:// or http://.')
}

/** `instance`: the one that is known; null: none. Throws UsageError if it is needed. */
export function placeOfWait(wait: Wait | null, instance: Instance | null): URL | Instance | null {
  if (wait !== 'instance') return wait
  if (instance !== null) return instance
  throw new UsageError(
    `--wait: where? Name an address behind it, or a Sitehost in SITEHOST_URL or as "instance" in ${siteFileName}.`,
  )
}

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
      throw new NotLiveError(['The site is published, but:', ...cause.lines], { cause })
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
  const below = new URL(at)
  below.hostname = `${siteLabel(site)}.${at.hostname}`
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
async function shownAt(
  url: URL,
  site: SiteAddress,
  { fetch, signal }: Pick<WaitContext, 'fetch' | 'signal'>,
): Promise<string | null> {
  try {
    const response = await fetch(url, { method: 'HEAD', signal })
    await response.body?.cancel()
    const isOurs = response.headers.get('x-sitehost-record') === siteUri(site)
    return isOurs ? response.headers.get('x-sitehost-version') : null
  } catch {
    signal.throwIfAborted()
    return null
  }
}
