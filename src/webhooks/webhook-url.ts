import { isPublicAddress } from '#outbound/public-address.ts'

export const webhookUrlCharsMax = 2000

export type WebhookUrl =
  | { readonly url: string; readonly host: string }
  | { readonly problem: 'no-url' | 'no-https' | 'credentials' | 'port' | 'private' }

/**
 * The URL of a webhook, without a fragment, and without the dot at the end of its host: limits are per host. A name is judged when something is sent: where it leads may change
 * (`outbound/safe-fetch`). `allowPrivate` as there.
 */
export function parseWebhookUrl(
  text: string,
  { allowPrivate }: { readonly allowPrivate: boolean },
): WebhookUrl {
  const url = text.length > webhookUrlCharsMax ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: 'no-url' }
  if (url.username !== '' || url.password !== '') return { problem: 'credentials' }
  url.hash = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  if (url.hostname.endsWith('.')) return { problem: 'no-url' }
  const { hostname, port, protocol } = url
  if (!allowPrivate && protocol !== 'https:') return { problem: 'no-https' }
  if (!allowPrivate && port !== '') return { problem: 'port' }
  if (!allowPrivate && isPrivate(hostname)) return { problem: 'private' }
  return { url: url.href, host: url.host }
}

/** Whether it names no public host, whatever the DNS says. */
function isPrivate(hostname: string): boolean {
  const literal = /^(?:\[(?<six>.*)\]|(?<four>\d+\.\d+\.\d+\.\d+))$/.exec(hostname)
  const { four, six } = literal?.groups ?? {}
  if (literal !== null) return !isPublicAddress(six ?? four ?? '')
  return /(?:^|\.)localhost$/.test(hostname) || !hostname.includes('.')
}
