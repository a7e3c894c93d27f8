import { type FileContext, respondFile } from '#edge/files/respond-file.ts'
import type { AwaitedSites } from '#edge/names/awaited-sites.ts'
import type { GoneVersions } from '#edge/names/gone-versions.ts'
import type { Hosts, HostTarget } from '#edge/names/hosts.ts'
import { redirectToPrimary } from '#edge/names/primary-redirect.ts'
import type { NamedHost, SiteHost } from '#edge/names/route.ts'
import type { Takedowns } from '#edge/names/takedowns.ts'
import type { Log } from '#observe/log.ts'
import type { Place } from '#site/visit/place.ts'
import { resolve } from '#site/visit/resolve.ts'
import { requestTarget } from './request-target.ts'
import { respond } from './respond.ts'
import type { SiteCache } from './site-cache.ts'
import type { SiteInMemory } from './site-in-memory.ts'

export interface EdgeContext extends VisitContext {
  readonly awaited: Pick<AwaitedSites, 'has'>
  readonly gone: Pick<GoneVersions, 'get'>
  readonly log: Log
  readonly snapshots: Pick<SiteCache, 'get'>
  readonly takedowns: Pick<Takedowns, 'get'>
}

export interface VisitContext extends FileContext {
  /** The visitor's country, in upper case (ISO 3166-1 alpha-2); null: not known. */
  readonly countryOf: (request: Request) => string | null
  readonly now: () => number
}

type AnswerKnown = typeof answerVisitor

/**
 * Answers a visitor of this host; at once, without a promise, when all it takes is in memory. Never throws
 * or rejects: what fails here is a 503.
 */
export function serveSite(
  host: SiteHost,
  request: Request,
  context: EdgeContext,
  answerKnown: AnswerKnown = answerVisitor,
): Response | Promise<Response> {
  try {
    const known = context.snapshots.get(host.label)
    const answer =
      known instanceof Promise
        ? answerLater(host, request, known, context, answerKnown)
        : answerWithinShare(host, request, known, context, answerKnown)
    return answer instanceof Promise
      ? answer.catch((error) => notAnswered(host.label, error, context))
      : answer
  } catch (error) {
    return notAnswered(host.label, error, context)
  }
}

/** As `serveSite`, at a host that serves the site its owner chose, redirects to it, or has no owner. */
export function serveNamed(
  named: NamedHost,
  request: Request,
  context: EdgeContext & { readonly hosts: Pick<Hosts, 'get'> },
): Response | Promise<Response> {
  const serve = (target: HostTarget | null): Response | Promise<Response> => {
    if (target === null) return context.pages.unclaimed()
    const { label, movedTo } = target
    const answerKnown: AnswerKnown =
      movedTo === null
        ? answerVisitor
        : (...asked) => redirectToPrimary(movedTo, request) ?? answerVisitor(...asked)
    return serveSite(
      { ...named, kind: 'site', label, shows: 'live' },
      request,
      context,
      answerKnown,
    )
  }
  const known = context.hosts.get(named.host)
  return known instanceof Promise
    ? known.then(serve).catch((error) => notAnswered(named.host, error, context))
    : serve(known)
}

async function answerLater(
  host: SiteHost,
  request: Request,
  loading: Promise<SiteInMemory | null>,
  context: EdgeContext,
  answerKnown: AnswerKnown,
): Promise<Response> {
  const known = await loading
  if (known !== null) {
    return await answerWithinShare(host, request, known, context, answerKnown)
  }
  const takedown = await context.takedowns.get(host.label)
  if (takedown !== null) return context.pages.takenDown(takedown)
  if (host.shows !== 'live') {
    const origin = await context.gone.get(host.label)
    return origin === null ? context.pages.notFound() : context.pages.gone(origin)
  }
  return (await context.awaited.has(host.label))
    ? context.pages.fetching()
    : context.pages.notFound()
}

/** As `serveSite`, for a site in memory, unless its visitors have taken all that they may. */
function answerWithinShare(
  host: SiteHost,
  request: Request,
  known: SiteInMemory,
  context: EdgeContext,
  answerKnown: AnswerKnown,
): Response | Promise<Response> {
  const refusal = known.share.take()
  if (refusal !== null) return context.pages.refused(refusal)
  const answer = answerKnown(host, request, known, context)
  if (answer instanceof Promise) {
    answer.then(
      ({ status }) => known.share.countStatus(status),
      () => known.share.countStatus(503),
    )
  } else known.share.countStatus(answer.status)
  return answer
}

/** As `serveSite`, for a site in memory; throws on failure. */
export function answerVisitor(
  host: SiteHost,
  request: Request,
  known: SiteInMemory,
  context: VisitContext,
): Response | Promise<Response> {
  known.wasVisited = true
  const { method, url } = request
  const isRead = method === 'GET' || method === 'HEAD'
  const atUrl = isRead && isAddressOf(url, host.host) ? known.answerAt(url) : undefined
  if (atUrl !== undefined) return respondFile(atUrl, request, known, context)

  const { pathname, search } = requestTarget(url)
  const address = `http://${host.host}${pathname}`
  const atAddress = isRead && url !== address ? known.answerAt(address) : undefined
  if (atAddress !== undefined) return respondFile(atAddress, request, known, context)

  const place = placeOf(host, pathname, known)
  const header = (name: string): string | null => request.headers.get(name)
  const visit = {
    method,
    pathname,
    search,
    host: host.host,
    header,
    // Looked up only for sites with rules that use it.
    get country() {
      return context.countryOf(request)
    },
  }
  const decision = resolve(known.site, visit, context.now())
  if (decision.kind === 'file' && decision.isForEveryone) {
    known.remember(address, known.answerTo(decision, place))
  }
  return respond(decision, request, place, known, context)
}

function placeOf(
  { host, isUnderBaseDomain, label, shows }: SiteHost,
  pathname: string,
  { canonical: origin }: SiteInMemory,
): Place {
  const isClaimed = shows === 'live' && !host.startsWith(label)
  const canonical = isClaimed || origin === null ? null : origin + pathname
  return { host, pathname, isUnderBaseDomain, shows, canonical }
}

/** False behind a front that sends another Host than its visitor. */
function isAddressOf(url: string, host: string): boolean {
  const [start, end] = ['http://'.length, 'http://'.length + host.length]
  return url.startsWith(host, start) && url.charAt(end) === '/'
}

export function notAnswered(label: string, error: unknown, { log, pages }: EdgeContext): Response {
  log.error('visitor not answered', { label, error })
  return pages.unavailable()
}
