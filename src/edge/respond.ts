import { Representation } from '#edge/files/representation.ts'
import { type FileContext, respondFile } from '#edge/files/respond-file.ts'
import { checkConditions, type ReadField } from '#http/conditions.ts'
import type { HeaderList } from '#http/header-fields.ts'
import type { Decision } from '#site/visit/decision.ts'
import { listingFields, missingFields, redirectFields } from '#site/visit/own-answers.ts'
import { corsFields, type Place } from '#site/visit/place.ts'
import type { ServableSite } from '#site/visit/servable-site.ts'
import { wantsJson } from './listing-page.ts'
import { type OwnPages, plainPage } from './pages.ts'
import type { SiteInMemory } from './site-in-memory.ts'

/** Puts a decision on the wire: headers, conditions, ranges, codings. Synchronous when all of it is in memory. */
export function respond(
  decision: Decision,
  request: Request,
  place: Place,
  known: SiteInMemory,
  context: FileContext,
): Response | Promise<Response> {
  const { site } = known
  switch (decision.kind) {
    case 'file':
      return respondFile(known.answerTo(decision, place), request, known, context)
    case 'redirect':
      return respondRedirect(decision, site, place)
    case 'listing':
      return respondListing(decision, request, place, known, context.pages)
    case 'missing': {
      const { status, html } = context.pages.missing(decision.status, place.pathname)
      const headers = headersOf(missingFields(site, place, decision))
      if (request.method !== 'HEAD') known.share.addBytes(html.length)
      return new Response(html, { status, headers })
    }
    case 'options':
      return new Response(null, {
        status: 204,
        headers: { ...preflightFields, allow: decision.allow },
      })
    case 'method-not-allowed':
      return plainPage(405, 'Method not allowed', { allow: decision.allow })
    case 'bad-request':
      return plainPage(400, 'Bad request')
    case 'uri-too-long':
      return plainPage(414, 'Address too long')
  }
}

const preflightFields = {
  ...corsFields,
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': '*',
}

function respondRedirect(
  decision: Extract<Decision, { kind: 'redirect' }>,
  site: ServableSite,
  place: Place,
): Response {
  const headers = headersOf(redirectFields(site, place, decision))
  return new Response(null, { status: decision.status, headers })
}

/** A page or JSON, as the visitor prefers; with conditions, like a file. */
function respondListing(
  decision: Extract<Decision, { kind: 'listing' }>,
  request: Request,
  place: Place,
  known: SiteInMemory,
  pages: OwnPages,
): Response {
  const field: ReadField = (name) => request.headers.get(name)
  const kind = wantsJson(field('accept')) ? 'json' : 'page'
  const { body, etag } = known.listingOf(decision, kind, pages)
  const { site } = known
  const { status } = decision
  const validators = status === 200 ? { etag, lastModified: site.liveSince } : null
  const verdict = validators === null ? null : checkConditions(field, validators)
  if (verdict === 412) return plainPage(412, 'Precondition failed')
  const fields = listingFields(site, place, decision, kind)
  const facts = { coding: 'identity', bytes: body.size, status, validators, fields } as const
  const { notModified, whole } = new Representation(facts)
  if (verdict === 304) return new Response(null, notModified)
  if (request.method === 'HEAD') return new Response(null, whole)
  known.share.addBytes(body.size)
  return new Response(body, whole)
}

function headersOf(fields: HeaderList): Headers {
  const headers = new Headers()
  for (const [name, value] of fields) headers.append(name, value)
  return headers
}
