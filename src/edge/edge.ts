import type { Log } from '#observe/log.ts'
import { resolve } from '#site/resolve.ts'
import type { AwaitedSites } from './awaited-sites.ts'
import type { Hosts } from './hosts.ts'
import { fetchingPage, notFoundPage, unavailablePage, unclaimedPage } from './pages.ts'
import { requestTarget } from './request-target.ts'
import { respond } from './respond.ts'
import { type FileContext, respondFile } from './respond-file.ts'
import type { NamedHost, SiteHost } from './route.ts'
import type { SiteInMemory } from './site-in-memory.ts'
import type { Snapshots } from './snapshots.ts'

export interface EdgeContext extends FileContext {
  readonly awaited: Pick<AwaitedSites, 'has'>
  readonly log: Log
  readonly now: () => number
  readonly snapshots: Pick<Snapshots, 'get'>
}

/**
 * Answers a visitor of this host; at once, without a promise, when all it takes is in memory. Never throws
 * or rejects: what fails here is a 503.
 */
export function serveSite(
  host: SiteHost,
  request: Request,
  context: EdgeContext,
): Response | Promise<Response> {
  try {
    const known = context.snapshots.get(host.label)
    const answer =
      known instanceof Promise
        ? answerLater(host, request, known, context)
        : answerVisitor(host, request, known, context)
    return answer instanceof Promise
      ? answer.catch((error) => notAnswered(host, error, context))
      : answer
  } catch (error) {
    return notAnswered(host, error, context)
  }
}

/** As `serveSite`, at a host that stands for the site its owner chose, or for none. */
export function serveNamed(
  named: NamedHost,
  request: Request,
  context: EdgeContext & { readonly hosts: Pick<Hosts, 'labelOf'> },
): Response | Promise<Response> {
  const serve = (label: string | null): Response | Promise<Response> =>
    label === null
      ? unclaimedPage()
      : serveSite({ ...named, kind: 'site', label }, request, context)
  const known = context.hosts.labelOf(named.host)
  return known instanceof Promise
    ? known.then(serve).catch((error) => notAnswered({ label: named.host }, error, context))
    : serve(known)
}

async function answerLater(
  host: SiteHost,
  request: Request,
  loading: Promise<SiteInMemory | null>,
  context: EdgeContext,
): Promise<Response> {
  const known = await loading
  if (known !== null) return await answerVisitor(host, request, known, context)
  return (await context.awaited.has(host.label)) ? fetchingPage() : notFoundPage()
}

/** As `serveSite`, once the site is in memory; what fails is thrown. */
export function answerVisitor(
  host: SiteHost,
  request: Request,
  known: SiteInMemory,
  context: FileContext & Pick<EdgeContext, 'now'>,
): Response | Promise<Response> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const remembered = isRead ? known.answerAt(request.url) : undefined
  return remembered === undefined
    ? decideAndAnswer(host, request, known, context)
    : respondFile(remembered, request, known.site.snapshot, context)
}

function decideAndAnswer(
  { host, isUnderBaseDomain }: SiteHost,
  request: Request,
  known: SiteInMemory,
  context: FileContext & Pick<EdgeContext, 'now'>,
): Response | Promise<Response> {
  const { method, url } = request
  const { pathname, search } = requestTarget(url)
  const header = (name: string): string | null => request.headers.get(name)
  const visit = { method, pathname, search, host, header, country: null }
  const decision = resolve(known.site, visit, context.now())
  const place = { host, pathname, isUnderBaseDomain, canonical: null }
  if (
    decision.kind === 'file' &&
    isPlain(url, host, pathname) &&
    known.site.knownPages.get(pathname) === decision
  ) {
    known.remember(url, known.answerTo(decision, place))
  }
  return respond(decision, request, place, known, context)
}

/** Without query, fragment and port, of which there are as many as anybody makes up. */
function isPlain(url: string, host: string, pathname: string): boolean {
  return url.endsWith(`//${host}${pathname}`)
}

function notAnswered(
  { label }: Pick<SiteHost, 'label'>,
  error: unknown,
  { log }: EdgeContext,
): Response {
  log.error('visitor not answered', { label, error })
  return unavailablePage()
}
