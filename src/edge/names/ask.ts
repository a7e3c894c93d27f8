import type { CertificateLog } from './certificate-log.ts'
import { canonicalHost, type RoutedHosts, routeHost } from './route.ts'
import type { ServedNames } from './served-names.ts'
import { previewName } from './version-names.ts'

interface AskContext extends RoutedHosts {
  readonly names: Pick<ServedNames, 'permits'>
  readonly log: Pick<CertificateLog, 'permitted' | 'refused'>
}

/**
 * Answers a TLS front that asks at `/?domain=<name>` whether to get a certificate for this name, from memory: 200 for
 * the application, for `sites.{base_domain}`, and for every name that leads to a site; 404 for all others (clients can
 * make up any name), and for an account's new names beyond its allowance. 503: the names are not read yet.
 */
export function answerAsk(request: Request, context: AskContext): Response {
  const url = new URL(request.url)
  if (url.pathname !== '/') return answer(404, 'ask at /?domain=')
  if (request.method !== 'GET') return answer(405, 'only GET', { allow: 'GET' })
  const host = url.searchParams.get('domain')
  const isPermitted = permitsCertificate(host, context)
  if (isPermitted === null) return answer(503, 'not known yet', { 'retry-after': '1' })
  context.log[isPermitted ? 'permitted' : 'refused'](canonicalHost(host) ?? host ?? '')
  return isPermitted ? answer(200, 'yes') : answer(404, 'no')
}

/** Whether the host may have a certificate, from memory. Null: not known yet. */
export function permitsCertificate(
  domain: string | null,
  { names, ...hosts }: Omit<AskContext, 'log'>,
): boolean | null {
  const route = routeHost(domain, hosts)
  switch (route.kind) {
    case 'application':
    case 'addresses':
      return true
    case 'site':
      return names.permits(route.label, 'below-base')
    case 'named':
      // A name without a dot could only be a label.
      if (!route.host.includes('.')) return false
      return names.permits(
        route.host,
        route.host.endsWith(`.${hosts.baseDomain}`) ? 'below-base' : 'custom',
      )
    case 'preview':
      return names.permits(previewName(route.alias, route.name), 'below-base')
    case 'base':
    case 'bad-host':
      return false
  }
}

const answer = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(`${text}\n`, { status, headers: { ...plainFields, ...headers } })

const plainFields = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
