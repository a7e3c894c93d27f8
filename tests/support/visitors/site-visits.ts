import type { SiteSettings } from '#site/record/settings.ts'
import { parseDid } from '#site/site-address.ts'
import { parseAnySiteName } from '#site/site-name.ts'
import { resolve } from '#site/visit/resolve.ts'
import { type EarlierAssets, type ServableSite, servableSite } from '#site/visit/servable-site.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'

export interface Facts {
  readonly settings?: Partial<SiteSettings>
  readonly rules?: string
  readonly earlier?: EarlierAssets
  readonly name?: string
}

/** A site that holds these files; the hash of each is its own path. */
export function site(
  paths: readonly string[],
  { settings, rules = '', earlier, name: given = 'blog' }: Facts = {},
) {
  const did = parseDid('did:plc:ewvi7nxzyoun6zhxrhs64oiz')
  const name = parseAnySiteName(given)
  if (did === null || name === null) throw new Error('the fixtures are wrong')
  return servableSite(
    {
      did,
      name,
      recordCid: 'r',
      publishedAt: 1,
      redirects: rules,
      headers: '',
      settings: settings ? { $type: 'place.sitehost.settings', ...settings } : null,
      files: new Map(paths.map((path) => [path, { ...anyFile, hash: path }])),
    },
    { ...(earlier && { earlierAssets: earlier }) },
  )
}

export const anyFile = {
  cid: 'c',
  coding: 'gzip',
  storedBytes: 1,
  bytes: 2,
  contentType: 'text/html',
} as const

export function ask(
  pathname: string,
  fields: Record<string, string> = {},
  facts: Partial<VisitorRequest> = {},
): VisitorRequest {
  const header = (name: string) => fields[name] ?? null
  return { method: 'GET', pathname, search: '', host: 'blog.test', header, country: null, ...facts }
}

/** In one line: `200 index.html`, `308 /d/`, `listing d/`, or what else was decided. */
export function visit(from: ServableSite, request: VisitorRequest | string, now?: number): string {
  const decision = resolve(from, typeof request === 'string' ? ask(request) : request, now)
  switch (decision.kind) {
    case 'file':
      return `${decision.status} ${decision.file.hash}`
    case 'redirect':
      return `${decision.status} ${decision.location}`
    case 'missing':
      return `${decision.status}`
    case 'listing':
      return `${decision.status === 200 ? '' : `${decision.status} `}listing ${decision.path}/`
    default:
      return decision.kind
  }
}
