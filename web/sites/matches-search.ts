import type { Site } from '#api/contract/client.ts'

/** Whether each word of the search is in the site's name or one of its addresses. */
export function matchesSearch(
  { displayName, domains, rkey, url }: Pick<Site, 'displayName' | 'domains' | 'rkey' | 'url'>,
  search: string,
): boolean {
  const names = [displayName, rkey, new URL(url).hostname, ...domains.map(({ domain }) => domain)]
  const text = folded(names.join(' '))
  return folded(search)
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Case and accents do not count. */
const folded = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase().trim()
