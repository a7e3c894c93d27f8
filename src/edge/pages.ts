import { escapeHtml } from '#http/escape-html.ts'
import type { SiteHosting } from '#site/instance.ts'
import { type PageFigure, pageHtml } from '#site/own-pages/page-html.ts'
import type { MissingStatus } from '#site/visit/decision.ts'
import { ownPageFields } from '#site/visit/own-answers.ts'
import type { TakedownStatus } from '#store/database/tables/moderation-tables.ts'
import type { Refusal, RefusedBy } from './shares/site-share.ts'

interface OwnPage {
  readonly status: number
  readonly html: string
}

/**
 * The pages of ours that visitors read at a site's host. They end with who hosts the site and how to reach them, when that is
 * set. They hold nothing of a request or a site.
 */
export class OwnPages {
  readonly #missing: Readonly<Record<MissingStatus, OwnPage>>
  readonly #missingStart: OwnPage
  readonly #noSite: OwnPage
  readonly #takenDown: OwnPage
  readonly #unclaimed: OwnPage
  readonly #fetching: OwnPage
  readonly #unavailable: OwnPage
  readonly #crowded: OwnPage
  readonly #spent: OwnPage
  readonly #spentByNetwork: OwnPage
  readonly #footer: string

  constructor(host: SiteHosting | null) {
    this.#footer = host === null ? '' : footerOf(host)
    const start = '<a href="/">Go to the start page</a>'
    const again = '<a href="">Try again</a>'
    const legal = 'This page can’t be shown for legal reasons.'
    const page = (status: PageStatus, title: string, ...texts: string[]): OwnPage => {
      const body = texts.map((text) => `<p>${text}</p>`).join('\n')
      const content = { title, body, figure: figures[status], code: status }
      return { status, html: pageHtml(content, this.#footer) }
    }
    this.#missing = {
      404: page(404, 'Page not found', 'There is no page at this address.', start),
      410: page(410, 'Gone', 'What was at this address has been removed.', start),
      451: page(451, 'Not available', legal, start),
    }
    this.#missingStart = page(404, 'Page not found', 'This site has no start page.')
    this.#noSite = page(404, 'Not found', 'There is no site at this address.')
    const takenDown = 'The operator of this service has taken this site offline for legal reasons.'
    this.#takenDown = page(451, 'Not available', takenDown)
    const empty = ['Nothing is published at this address yet.']
    if (host !== null) {
      empty.push(`<a href="${escapeHtml(host.origin)}/">Publish a site</a>`)
    }
    this.#unclaimed = page(404, 'No site here', ...empty)
    const fetching = 'This page is being fetched from its owner’s server. That takes a moment.'
    this.#fetching = page(503, 'Not here yet', fetching, again)
    const unavailable = 'This page can’t be shown right now. Wait a moment.'
    this.#unavailable = page(503, 'Not available', unavailable, again)
    const crowded = 'This site has too many visitors right now. Wait a moment.'
    this.#crowded = page(429, 'Too many visitors', crowded, again)
    const spent =
      'This site, or its owner’s sites together, have sent visitors all that they may in a day. Come back tomorrow.'
    this.#spent = page(429, 'Back tomorrow', spent)
    const byNetwork =
      'Your network has taken all that one may of this site in a day. Come back tomorrow.'
    this.#spentByNetwork = page(429, 'Too many downloads', byNetwork)
  }

  /** For sites without an error page of their own. */
  missing(status: MissingStatus, pathname: string): OwnPage {
    return status === 404 && pathname === '/' ? this.#missingStart : this.#missing[status]
  }

  /** A host that no site has. */
  readonly notFound = (): Response => responseOf(this.#noSite)

  /** A site that an administrator took offline, alone or with its account. 404: as if there were none. */
  readonly takenDown = (status: TakedownStatus): Response =>
    responseOf(status === 451 ? this.#takenDown : this.#noSite)

  /** A version that was removed, or has expired. `origin`: of the site as it is now. */
  readonly gone = (origin: string): Response => {
    const link = `<a href="${escapeHtml(origin)}/">See the site as it is now</a>`
    const body = `<p>This version of the site was removed, or its time is over.</p>\n<p>${link}</p>`
    const page = { title: 'No longer here', body, figure: 'gone', code: 410 } as const
    return responseOf({ status: 410, html: pageHtml(page, this.#footer) })
  }

  /** A name without a site. */
  readonly unclaimed = (): Response => responseOf(this.#unclaimed)

  /** The bytes are being fetched. */
  readonly fetching = (): Response => responseOf(this.#fetching, tryAgain)

  /** Something of ours failed. */
  readonly unavailable = (): Response => responseOf(this.#unavailable, tryAgain)

  /** A site whose visitors took all that they may. */
  readonly refused = ({ by, retryAfterSeconds }: Refusal): Response => {
    const headers = { 'retry-after': String(retryAfterSeconds) }
    return responseOf(this.#refusedPage(by), headers)
  }

  #refusedPage(by: RefusedBy): OwnPage {
    switch (by) {
      case 'site_bytes':
      case 'account_bytes':
        return this.#spent
      case 'network_bytes':
        return this.#spentByNetwork
      case 'site_requests':
      case 'account_requests':
        return this.#crowded
    }
  }

  /** A page with a table. `title` and `body` are HTML. */
  listing(title: string, body: string): string {
    return pageHtml({ title, body, figure: null, code: null }, this.#footer)
  }
}

type PageStatus = 404 | 410 | 429 | 451 | 503

const figures: Readonly<Record<PageStatus, PageFigure>> = {
  404: 'missing',
  410: 'gone',
  429: 'coming',
  451: 'closed',
  503: 'coming',
}

/** For requests that browsers send only when a script asks for them. */
export function plainPage(
  status: number,
  title: string,
  headers: Record<string, string> = {},
): Response {
  const body = '<p>This request can’t be answered.</p>'
  const content = { title, body, figure: 'closed', code: status } as const
  return responseOf({ status, html: pageHtml(content, '') }, headers)
}

const tryAgain = { 'retry-after': '2' }

function responseOf({ status, html }: OwnPage, headers: Record<string, string> = {}): Response {
  return new Response(html, { status, headers: { ...ownPageFields, ...headers } })
}

function footerOf({ name, origin, contact, termsUrl, privacyUrl }: SiteHosting): string {
  const links: [href: string | null, text: string][] = [
    [`${origin}/`, name],
    [`${origin}/report`, 'Report this site'],
    [contact, 'Contact'],
    [termsUrl, 'Terms'],
    [privacyUrl, 'Privacy'],
  ]
  const shown = links.flatMap(([href, text]) =>
    href === null ? [] : [`<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`],
  )
  return `<footer>Hosted by ${shown.join(' · ')}</footer>\n`
}

/** For a client whose network has too many requests in progress, or when all together have. */
export const tooManyInProgress = (): Response =>
  plainPage(503, 'Too many requests in progress', { 'retry-after': '1' })
