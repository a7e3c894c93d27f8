import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'

/** What a host sent, and what it says that is. */
export interface ServedPage {
  /** Where the answer is from: after redirects, another address than the one that was asked for. */
  readonly url: URL
  readonly status: number
  /** Of a redirect that was not followed. */
  readonly location: string | null
  readonly body: Uint8Array
  /** `X-Sitehost-Record` and `X-Sitehost-Version`. */
  readonly record: string | null
  readonly cid: string | null
}

/** Throws UsageError. */
export function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new UsageError('Expected an address that begins with https:// or http://.')
}

const redirectsMax = 5

/** `all`: redirects to any host are followed; `same-origin`: only those that stay at it. */
export type Follows = 'all' | 'same-origin' | 'none'

/** As a browser that opens an address, which has nothing of the site yet. Throws CommandError. */
export async function loadPage(
  url: URL,
  follows: Follows,
  context: Pick<CommandContext, 'fetch' | 'limits' | 'signal'>,
): Promise<ServedPage> {
  let page = await loadOnce(url, context)
  for (let hop = 0; page.location !== null && hop < redirectsMax; hop++) {
    const next = URL.parse(page.location, page.url)
    if (next === null || follows === 'none') return page
    if (follows === 'same-origin' && next.origin !== url.origin) return page
    page = await loadOnce(next, context)
  }
  return page
}

async function loadOnce(
  url: URL,
  { fetch, limits, signal }: Pick<CommandContext, 'fetch' | 'limits' | 'signal'>,
): Promise<ServedPage> {
  try {
    const response = await fetch(url, {
      signal,
      headers: browserHeaders,
      limits: { responseBytesMax: limits.fileBytesMax },
    })
    const { headers, status } = response
    return {
      url,
      status,
      location: status >= 300 && status < 400 ? headers.get('location') : null,
      body: new Uint8Array(await response.arrayBuffer()),
      record: headers.get('x-sitehost-record'),
      cid: headers.get('x-sitehost-version'),
    }
  } catch (cause) {
    signal.throwIfAborted()
    throw new CommandError(`${url.host} did not answer.`, { cause })
  }
}

/** What `_redirects` and `spaMode` may depend on. */
export const browserHeaders: Readonly<Record<string, string>> = {
  accept: 'text/html,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
}
