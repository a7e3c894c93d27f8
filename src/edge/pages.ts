import type { HeaderList } from '#http/header-fields.ts'
import type { SiteHosting } from '#site/instance.ts'
import type { MissingStatus } from '#site/visit/decision.ts'
import type { TakedownStatus } from '#store/database/moderation-tables.ts'
import { corsFields } from './place.ts'

/** A page of ours on a site's host: small, for light and dark, without script. Holds nothing of a request or a site. */
interface OwnPage {
  readonly status: number
  readonly html: string
}

/** The headers of our own pages. */
export const ownPageFields = {
  ...corsFields,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
}

/** An owner's header rules are for files: a page of ours keeps its media type. */
export const withOwnType = (fields: HeaderList, contentType: string): HeaderList =>
  fields.map(([name, value]) => [name, name === 'content-type' ? contentType : value])

/**
 * The pages of ours that visitors read at a site's host. They end with who hosts the site and how to reach them, when that is
 * set.
 */
export class OwnPages {
  /** For sites without an error page of their own. */
  readonly missing: Readonly<Record<MissingStatus, OwnPage>>
  readonly #takenDown: OwnPage
  readonly #unclaimed: OwnPage
  readonly #fetching: OwnPage
  readonly #unavailable: OwnPage
  readonly #footer: string

  constructor(host: SiteHosting | null) {
    this.#footer = host === null ? '' : footerOf(host)
    const page = (status: number, title: string, text: string): OwnPage => ({
      status,
      html: this.html(title, `<p>${text}</p>`),
    })
    this.missing = {
      404: page(404, 'Not found', 'There is nothing at this address.'),
      410: page(410, 'Gone', 'What was at this address was removed.'),
      451: page(451, 'Not available', 'This page cannot be shown for legal reasons.'),
    }
    this.#takenDown = page(
      451,
      'Not available',
      'The operator of this service has taken this site offline for legal reasons.',
    )
    this.#unclaimed = page(404, 'No site here', 'Nothing is published at this address yet.')
    this.#fetching = page(
      503,
      'Not here yet',
      'This page is being fetched from its owner’s server. Try again in a moment.',
    )
    this.#unavailable = page(
      503,
      'Not available',
      'This page cannot be shown right now. Try again in a moment.',
    )
  }

  readonly notFound = (): Response => responseOf(this.missing[404])

  /** A site that an administrator took offline, alone or with its account. 404: as if there were none. */
  readonly takenDown = (status: TakedownStatus): Response =>
    responseOf(status === 451 ? this.#takenDown : this.missing[404])

  /** A version that was removed, or has expired. `origin`: of the site as it is now. */
  readonly gone = (origin: string): Response => {
    const link = `<a href="${escapeHtml(origin)}/">The site as it is now</a>`
    const html = this.html(
      'No longer here',
      `<p>This version of the site was removed, or its time is over.</p>\n<p>${link}</p>`,
    )
    return responseOf({ status: 410, html })
  }

  /** A host without a site. */
  readonly unclaimed = (): Response => responseOf(this.#unclaimed)

  /** The bytes are being fetched. */
  readonly fetching = (): Response => responseOf(this.#fetching, tryAgain)

  /** Something of ours failed. */
  readonly unavailable = (): Response => responseOf(this.#unavailable, tryAgain)

  /** `title` and `body` are HTML. */
  html(title: string, body: string): string {
    return htmlPage(title, body, this.#footer)
  }
}

/** For requests that no browser sends by itself. */
export function plainPage(
  status: number,
  title: string,
  headers: Record<string, string> = {},
): Response {
  const html = htmlPage(title, '<p>This request cannot be answered.</p>', '')
  return responseOf({ status, html }, headers)
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

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

/** All of them HTML. */
function htmlPage(title: string, body: string, footer: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 15vh auto; padding: 0 1rem; overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse }
th, td { padding: 0.25rem 0.5rem 0.25rem 0; text-align: start; vertical-align: top }
footer { margin-top: 4rem; font-size: 0.875rem; opacity: 0.8 }
footer a { color: inherit }
</style>
<main>
<h1>${title}</h1>
${body}
</main>
${footer}</html>
`
}
