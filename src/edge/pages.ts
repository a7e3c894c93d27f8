import type { HeaderList } from '#http/header-fields.ts'
import type { MissingStatus } from '#site/visit/decision.ts'
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

/** For sites without an error page of their own. */
export const missingPages: Readonly<Record<MissingStatus, OwnPage>> = {
  404: own(404, 'Not found', 'There is nothing at this address.'),
  410: own(410, 'Gone', 'What was at this address was removed.'),
  451: own(451, 'Not available', 'This page cannot be shown for legal reasons.'),
}

export const notFoundPage = (): Response => responseOf(missingPages[404])

/** A host without a site. */
export const unclaimedPage = (): Response => responseOf(unclaimed)

/** The bytes are being fetched. */
export const fetchingPage = (): Response => responseOf(fetching, tryAgain)

/** Something of ours failed. */
export const unavailablePage = (): Response => responseOf(unavailable, tryAgain)

export function plainPage(
  status: number,
  title: string,
  headers: Record<string, string> = {},
): Response {
  return responseOf(own(status, title, 'This request cannot be answered.'), headers)
}

const tryAgain = { 'retry-after': '2' }

const unclaimed = own(404, 'No site here', 'Nothing is published at this address yet.')
const fetching = own(
  503,
  'Not here yet',
  'This page is being fetched from its owner’s server. Try again in a moment.',
)
const unavailable = own(
  503,
  'Not available',
  'This page cannot be shown right now. Try again in a moment.',
)

function responseOf({ status, html }: OwnPage, headers: Record<string, string> = {}): Response {
  return new Response(html, { status, headers: { ...ownPageFields, ...headers } })
}

function own(status: number, title: string, text: string): OwnPage {
  return { status, html: htmlPage(title, `<p>${text}</p>`) }
}

/** `title` and `body` are HTML. */
export function htmlPage(title: string, body: string): string {
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
</style>
<main>
<h1>${title}</h1>
${body}
</main>
</html>
`
}
