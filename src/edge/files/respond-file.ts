import { type OwnPages, plainPage, tooManyInProgress } from '#edge/pages.ts'
import type { Visitor } from '#edge/shares/visit-counts.ts'
import type { SiteInMemory } from '#edge/site-in-memory.ts'
import { checkConditions, type ReadField } from '#http/conditions.ts'
import { contentRange, decideRange, type RangeDecision } from '#http/range.ts'
import { wholeBodyBytesMax } from '#site/limits.ts'
import type { Bodies } from './bodies.ts'
import { type CodingChoices, codingSet } from './codings.ts'
import type { DecodedFiles } from './decoded-files.ts'
import type { DecodedStreams } from './decoded-streams.ts'
import type { FileAnswer } from './file-answer.ts'
import { respondFromMemory } from './in-memory-answer.ts'
import type { MissingBlobs } from './missing-blobs.ts'
import type { Recompressor } from './recompressor.ts'
import type { Representation } from './representation.ts'

export interface FileContext {
  readonly bodies: Bodies
  /** Whether the answer may keep a file open while it is sent; only called for large bodies. */
  readonly canOpenFile: (request: Request) => boolean
  readonly choices: CodingChoices
  /** The visitor's key for limits; only called for decoded bodies. */
  readonly clientOf: (request: Request) => string
  readonly decodedFiles: Pick<DecodedFiles, 'open'>
  readonly decodedStreams: Pick<DecodedStreams, 'open'>
  readonly missing: Pick<MissingBlobs, 'arrival'>
  /** The visitor's network, which has a part of a site's bytes; only called for large bodies. */
  readonly networkOf: (request: Request) => string
  readonly pages: OwnPages
  readonly recompressor: Pick<Recompressor, 'ask'>
  /** Only called for pages. */
  readonly visitorOf: (request: Request) => Visitor
}

/** A representation of a file, or a part of it, for a visitor. */
interface Delivery {
  readonly answer: FileAnswer
  readonly request: Request
  readonly known: SiteInMemory
  readonly representation: Representation
  readonly range: Exclude<RangeDecision, 'unsatisfiable'>
  readonly isHead: boolean
}

/** Synchronous if the body is in memory or none is needed. */
export function respondFile(
  answer: FileAnswer,
  request: Request,
  known: SiteInMemory,
  context: FileContext,
): Response | Promise<Response> {
  const field: ReadField = (name) => request.headers.get(name)
  const isHead = request.method === 'HEAD'
  const representation = choose(answer, field, context)
  const { bytes, validators } = representation
  let range: RangeDecision = 'whole'
  if (validators !== null) {
    const verdict = checkConditions(field, validators)
    if (verdict === 304) {
      if (!isHead) countPage(answer, request, known, context)
      return respondFromMemory(request, representation.notModified, null)
    }
    if (verdict === 412) return plainPage(412, 'Precondition failed')
    const asked = isHead ? null : field('range')
    if (asked !== null) range = decideRange(asked, field('if-range'), validators.etag, bytes)
  }
  if (range === 'unsatisfiable') {
    return plainPage(416, 'No such part', { 'content-range': contentRange(range, bytes) })
  }
  if (!isHead && range === 'whole') countPage(answer, request, known, context)
  const delivery = { answer, request, known, representation, range, isHead }
  const body = context.bodies.use(representation.kept)
  return body === null ? readAndSend(delivery, context) : send(delivery, body, context)
}

function countPage(
  { page }: FileAnswer,
  request: Request,
  { share }: SiteInMemory,
  { visitorOf }: FileContext,
): void {
  if (page !== null) share.countPage(page, request, visitorOf)
}

/** Ranges apply to the identity coding, unless `If-Range` names the coding of the visitor's part. */
function choose(answer: FileAnswer, field: ReadField, context: FileContext): Representation {
  const isPart = field('range') !== null && field('if-range') === null
  const header = isPart ? null : field('accept-encoding')
  return answer.lastFor(header) ?? chooseAnew(answer, header, context)
}

function chooseAnew(
  answer: FileAnswer,
  header: string | null,
  { bodies, choices, recompressor }: FileContext,
): Representation {
  const wanted = choices.choose(header, answer.possible)
  const representation = answer.representation(wanted, bodies)
  if (representation !== null) {
    answer.choseFor(header, representation)
    return representation
  }
  if (wanted !== 'identity') recompressor.ask(answer.decision.file, wanted)
  const there = answer.possible.codings.filter((coding) => answer.representation(coding, bodies))
  return answer.representation(choices.choose(header, codingSet(there)), bodies) as Representation
}

function send(delivery: Delivery, body: Blob, context: FileContext): Response {
  const { representation, request, range, isHead } = delivery
  if (isHead) return new Response(null, representation.whole)
  if (range === 'whole') {
    const refused = refusedBody(representation.bytes, delivery, context)
    return refused ?? respondFromMemory(request, representation.whole, body)
  }
  const refused = refusedBody(range.last + 1 - range.first, delivery, context)
  return (
    refused ?? new Response(body.slice(range.first, range.last + 1), representation.part(range))
  )
}

/** Counts the body's bytes; null: it may be sent. */
function refusedBody(
  bytes: number,
  { known, request }: Delivery,
  { networkOf, pages }: FileContext,
): Response | null {
  const refusal = known.share.addBody(bytes, request, networkOf)
  return refusal === null ? null : pages.refused(refusal)
}

async function readAndSend(delivery: Delivery, context: FileContext): Promise<Response> {
  const { record, snapshot } = delivery.known.site
  const { hash } = delivery.answer.decision.file
  const source = { did: snapshot.did, name: snapshot.name, versionKey: record.versionKey }
  return (
    (await readOnce(delivery, context)) ??
    // Concurrent requests share one wait.
    ((await context.missing.arrival(source, hash)) ? await readOnce(delivery, context) : null) ??
    context.pages.fetching()
  )
}

/** Null if the bytes are missing: also for HEAD, which must not promise what GET cannot deliver. */
async function readOnce(delivery: Delivery, context: FileContext): Promise<Response | null> {
  const { answer, representation } = delivery
  const { file } = answer.decision
  // The stored form can be larger than the decoded one.
  const bytes = Math.max(representation.bytes, file.storedBytes)
  if (bytes > wholeBodyBytesMax) return await stream(delivery, context)
  // Codings that we make are only chosen while in memory, so this is the stored form or the content.
  const coding = representation.coding === file.coding ? file.coding : 'identity'
  const body = await context.bodies.load(file, coding)
  if (body === null) return null
  representation.kept = context.bodies.find(file, coding)
  return send(delivery, body, context)
}

async function stream(delivery: Delivery, context: FileContext): Promise<Response | null> {
  const { answer, request, representation, range, isHead } = delivery
  const { bodies, clientOf, decodedFiles } = context
  const { file } = answer.decision
  const { first, last } = range === 'whole' ? { first: 0, last: representation.bytes - 1 } : range
  const isStored = representation.coding === file.coding
  // Before the bytes are counted: nobody gets them.
  if (!isHead && !context.canOpenFile(request)) return tooManyInProgress()
  const body = await (isStored || isHead
    ? bodies.open(file)
    : decodedFiles.open(file, { client: clientOf(request), bytes: last + 1 - first }))
  if (body === null) return null
  if (body === 'busy' || body === 'full') return await streamDecoded(delivery, context)
  if (isHead) return new Response(null, representation.whole)
  const head = range === 'whole' ? representation.whole : representation.part(range)
  const refused = refusedBody(last + 1 - first, delivery, context)
  if (refused !== null) return refused
  // Slices the whole too: for an unsliced file Bun handles `Range` itself (Bun 1.4.5).
  return new Response(body.slice(first, last + 1), head)
}

/** The whole body, also for a range request (allowed by RFC 9110 §14.2), without a length (Bun 1.4.5). */
async function streamDecoded(delivery: Delivery, context: FileContext): Promise<Response | null> {
  const { answer, request, representation } = delivery
  const { bodies, clientOf, decodedStreams, pages } = context
  const { file } = answer.decision
  const stored = await bodies.open(file)
  if (stored === null) return null
  const body = decodedStreams.open(stored, file.bytes, clientOf(request))
  if (body === 'busy') return pages.unavailable()
  const refused = refusedBody(file.bytes, delivery, context)
  if (refused !== null) {
    await body.cancel()
    return refused
  }
  return new Response(body, representation.unsized)
}
