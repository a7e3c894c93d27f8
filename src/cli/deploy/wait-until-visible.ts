import { setTimeout } from 'node:timers/promises'
import { NotLiveError } from '#cli/command-error.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { type SiteAddress, siteLabel, siteUri } from '#site/site-address.ts'

interface WaitContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
  readonly waitMsMax?: number
}

const waitMsMaxDefault = 60_000
const pauseMs = 500

/**
 * Waits until visitors get the record with this CID; returns the address where they do. `at` is an address of the site,
 * or that of an instance's base domain. Throws NotLiveError after a minute.
 */
export async function waitUntilVisible(
  site: SiteAddress,
  cid: string,
  at: URL,
  { fetch, signal, waitMsMax = waitMsMaxDefault }: WaitContext,
): Promise<string> {
  const below = new URL(at)
  below.hostname = `${siteLabel(site)}.${at.hostname}`
  const givesUpAt = performance.now() + waitMsMax
  for (;;) {
    for (const url of [at, below]) {
      if ((await shownAt(url, site, { fetch, signal })) === cid) return url.href
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
