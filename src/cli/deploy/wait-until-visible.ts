import { setTimeout } from 'node:timers/promises'
import type { CommandContext } from '#cli/command-context.ts'
import { NotLiveError, UsageError } from '#cli/command-error.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { type SiteAddress, siteLabel, siteUri } from '#site/site-address.ts'

interface WaitContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
  readonly waitMsMax?: number
}

const waitMsMaxDefault = 60_000
const pauseMs = 500

/** Where visitors are waited for; null: nowhere. Throws UsageError. */
export function waitOf(wait: string | undefined): URL | null {
  if (wait === undefined) return null
  const url = URL.canParse(wait) ? new URL(wait) : null
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new UsageError('--wait: expected an address that begins with https:// or http://.')
}

/** Says a result, with the address where visitors get it: null if they do not, or are not waited for. Throws NotLiveError. */
export async function resultOfWait(
  wait: URL | null,
  { address, cid }: { readonly address: SiteAddress; readonly cid: string },
  context: Pick<CommandContext, 'console' | 'fetch' | 'signal'>,
  say: (url: string | null) => void,
): Promise<void> {
  if (wait === null) return say(null)
  context.console.progress(`Waiting for ${wait.host}`)
  try {
    say(await waitUntilVisible(address, cid, wait, context))
  } catch (error) {
    if (error instanceof NotLiveError) say(null)
    throw error
  }
}

/**
 * Waits until visitors get the record with this CID; returns the address where they do. `at` is an address of the site,
 * or that of an instance's base domain. Throws NotLiveError after a minute.
 */
async function waitUntilVisible(
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
