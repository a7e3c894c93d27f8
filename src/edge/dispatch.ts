import { clientNetworkOf, type RequestServer, type TrustedProxies } from '#http/client-address.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import { isForDomainProof } from '#site/request-path.ts'
import { type EdgeContext, serveNamed, serveSite } from './edge.ts'
import { type RedirectContext, redirectToSite } from './names/address-redirect.ts'
import { type Front, httpsRedirect, trustIn, visitedHost, visitorCountry } from './names/front.ts'
import type { Hosts } from './names/hosts.ts'
import type { Previews } from './names/previews.ts'
import { createRouter, type Route, type RoutedHosts } from './names/route.ts'
import { plainPage } from './pages.ts'
import { networkReader, visitorReader } from './read-visitor.ts'
import { requestTarget } from './request-target.ts'
import { servePreview } from './serve-preview.ts'
import { startTimer, timeAnswers } from './time-answers.ts'

export type Answer = (request: Request, server: RequestServer) => Response | Promise<Response>

interface DispatchOptions extends RoutedHosts {
  readonly application: Answer
  /** Origin of `BASE_URL`. */
  readonly origin: string
  readonly front: Omit<Front, 'connectionOf' | 'isTrusted'> & {
    readonly trustedProxies: TrustedProxies
  }
  readonly visits: Omit<
    EdgeContext,
    'canOpenFile' | 'clientOf' | 'countryOf' | 'networkOf' | 'visitorOf'
  > & {
    readonly hosts: Pick<Hosts, 'get'>
    readonly previews: Pick<Previews, 'get'>
  }
  readonly addresses: Omit<RedirectContext, 'clientOf' | 'log'>
  readonly metrics: Pick<RequestMetrics, 'observe'>
  /** What another process answers; null: nothing. */
  readonly elsewhere: 'application' | 'sites' | null
}

/**
 * Answers every request, by its visitor's host: with the application, with a site on its own or a claimed host, or with
 * a redirect from the address form `sites.{base_domain}/<owner>/<site name>/…`.
 */
export function createDispatch(options: DispatchOptions): Answer {
  const {
    addresses,
    application,
    applicationHost,
    baseDomain,
    elsewhere,
    metrics,
    origin,
    visits,
  } = options
  const { trustedProxies } = options.front
  const isTrusted = trustIn(trustedProxies)
  const routeOf = createRouter({ applicationHost, baseDomain })
  const timed = timeAnswers(metrics)

  const open = (server: RequestServer) => {
    const connectionOf = (request: Request) => server.requestIP(request)?.address ?? null
    const front = { ...options.front, connectionOf, isTrusted }
    const clientOf = (request: Request) => clientNetworkOf(request, server, trustedProxies)
    return {
      server,
      front,
      edge: {
        ...visits,
        canOpenFile: (request: Request) => server.canOpenFile?.(request) ?? true,
        clientOf,
        networkOf: networkReader(server, { ...front, trustedProxies }, 48),
        countryOf: (request: Request) => visitorCountry(request, front),
        visitorOf: visitorReader(server, { ...front, trustedProxies }),
      },
      redirects: { ...addresses, clientOf, log: visits.log },
    }
  }
  type Opened = ReturnType<typeof open>
  const openedOf = new WeakMap<RequestServer, Opened>()
  let lastOpened: Opened | null = null
  /** Most requests come to the same server as the one before. */
  const openedFor = (server: RequestServer): Opened => {
    if (lastOpened?.server === server) return lastOpened
    lastOpened = openedOf.get(server) ?? open(server)
    openedOf.set(server, lastOpened)
    return lastOpened
  }

  const answerOutside = (
    route: Exclude<Route, { kind: 'application' }>,
    request: Request,
    { edge, redirects }: Opened,
  ): Response | Promise<Response> => {
    // Before redirects, too: an authority follows them.
    if (isBelowBaseDomain(route) && isForDomainProof(requestTarget(request.url).pathname)) {
      return edge.pages.notFound()
    }
    switch (route.kind) {
      case 'site':
        return serveSite(route, request, edge)
      case 'base':
        return Response.redirect(origin, 302)
      case 'preview':
        return servePreview(route, request, edge)
      case 'named':
        return serveNamed(route, request, edge)
      case 'addresses':
        return redirectToSite(request, redirects)
      case 'bad-host':
        return plainPage(400, 'Bad request')
    }
  }

  return (request, server) => {
    const startedAt = startTimer()
    const opened = openedFor(server)
    const visited = visitedHost(request, opened.front)
    const toHttps = httpsRedirect(request, visited, opened.front)
    if (toHttps !== null) return timed(toHttps, 'edge', startedAt)
    const route = routeOf(visited)
    const isOfApplication = route.kind === 'application'
    const isElsewhere = elsewhere === (isOfApplication ? 'application' : 'sites')
    if (isElsewhere && !(isOfApplication && asksHealth(request))) {
      // RFC 9110 §15.5.20: the front has sent it to the wrong process.
      const answer = plainPage(421, 'Misdirected request')
      return timed(answer, isOfApplication ? 'app' : 'edge', startedAt)
    }
    return route.kind === 'application'
      ? timed(application(request, server), 'app', startedAt)
      : timed(answerOutside(route, request, opened), 'edge', startedAt)
  }
}

const isBelowBaseDomain = (route: Route): boolean =>
  'isUnderBaseDomain' in route && route.isUnderBaseDomain

/** Each process answers for its own health, at the application's host. */
const asksHealth = ({ url }: Request): boolean => healthPaths.has(new URL(url).pathname)
const healthPaths = new Set(['/healthz', '/readyz'])
