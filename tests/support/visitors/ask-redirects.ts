import { parseRequestPath } from '#site/request-path.ts'
import { matchRedirect, type RedirectMatch } from '#site/rules/match-redirect.ts'
import { parseRedirects } from '#site/rules/redirects-file.ts'

export interface RedirectVisitor {
  readonly host?: string
  readonly country?: string | null
  readonly cookie?: string
  readonly 'accept-language'?: string
}

/** What the rules say of a request: those with `!` are asked first, as a site does. */
export function askRedirects(
  rules: string,
  address: string,
  visitor: RedirectVisitor = {},
): RedirectMatch | null {
  const parsed = parseRedirects(rules).rules
  const url = new URL(address.startsWith('/') ? `https://h.test${address}` : address)
  const path = parseRequestPath(url.pathname)
  if (!path.ok) throw new Error(`nobody can ask for ${address}`)
  const request = {
    method: 'GET',
    pathname: url.pathname,
    search: url.search,
    host: visitor.host ?? url.hostname,
    country: visitor.country ?? null,
    header: (name: string) => new Map(Object.entries(visitor)).get(name) ?? null,
  }
  const match = (kind: 'forced' | 'unforced') => matchRedirect(parsed, request, path.segments, kind)
  return match('forced') ?? match('unforced')
}
