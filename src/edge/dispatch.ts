import { clientNetworkOf } from '#http/client-address.ts'
import { type EdgeContext, serveNamed, serveSite } from './edge.ts'
import { type RedirectContext, redirectToSite } from './names/address-redirect.ts'
import { type Front, httpsRedirect, visitedHost, visitorCountry } from './names/front.ts'
import type { Hosts } from './names/hosts.ts'
import { createRouter, type RoutedHosts } from './names/route.ts'
import { plainPage } from './pages.ts'

type Answer = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>

interface DispatchOptions extends RoutedHosts {
  readonly application: Answer
  /** Origin of `BASE_URL`. */
  readonly origin: string
  readonly front: Omit<Front, 'connectionOf'>
  readonly visits: Omit<EdgeContext, 'clientOf' | 'countryOf'> & {
    readonly hosts: Pick<Hosts, 'get'>
  }
  readonly addresses: Omit<RedirectContext, 'clientOf' | 'log'>
}

/**
 * Answers every request, by its visitor's host: with the application, with a site on its own or a claimed host, or with
 * a redirect from the address form `sites.{base_domain}/<owner>/<site name>/…`.
 */
export function createDispatch(options: DispatchOptions): Answer {
  const { addresses, application, applicationHost, baseDomain, origin, visits } = options
  const { trustedProxies } = options.front
  const routeOf = createRouter({ applicationHost, baseDomain })

  const open = (server: Bun.Server<undefined>) => {
    const connectionOf = (request: Request) => server.requestIP(request)?.address ?? null
    const front = { ...options.front, connectionOf }
    const clientOf = (request: Request) => clientNetworkOf(request, server, trustedProxies)
    return {
      front,
      edge: {
        ...visits,
        clientOf,
        countryOf: (request: Request) => visitorCountry(request, front),
      },
      redirects: { ...addresses, clientOf, log: visits.log },
    }
  }
  // There is one server, known from its first request on.
  let opened: ReturnType<typeof open> | null = null

  return (request, server) => {
    opened ??= open(server)
    const { edge, front, redirects } = opened
    const visited = visitedHost(request, front)
    const toHttps = httpsRedirect(request, visited, front)
    if (toHttps !== null) return toHttps
    const route = routeOf(visited)
    switch (route.kind) {
      case 'application':
        return application(request, server)
      case 'site':
        return serveSite(route, request, edge)
      case 'base':
        return Response.redirect(origin, 302)
      case 'named':
        return serveNamed(route, request, edge)
      case 'addresses':
        return redirectToSite(request, redirects)
      case 'bad-host':
        return plainPage(400, 'Bad request')
    }
  }
}
