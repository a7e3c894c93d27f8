import { isRecordKey } from '@atcute/lexicons/syntax'
import type { Identity } from '#atproto/identity/identity.ts'
import { usable } from '#outbound/answer-body.ts'
import { AnswerFields } from '#outbound/answer-fields.ts'
import { type JsonLimits, type JsonPiece, parsePiece, scanJson } from '#outbound/json-scan.ts'
import { ServerUnreachableError, UnusableAnswerError } from '#outbound/server-errors.ts'
import { recordBytesMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { cursorOf, xrpcPages } from './pages.ts'
import { publicAnswer, type QueryContext } from './public-query.ts'
import type { XrpcParameters } from './xrpc-path.ts'

export const listMethod = 'com.atproto.repo.listRecords'

/** Each record may have 1 MiB, and the server sends it whole. */
const recordsPerPage = 20
/** The most that servers list in a page: asked for after a page of records that have at most `smallRecordBytes`, as parts do. */
const smallRecordsPerPage = 100
const smallRecordBytes = 64 * 1024
const pageBytesMax = 32 * 1024 * 1024
/** For a whole collection. A thousand sites that we wrote have at most half of it. */
const collectionBytesMax = 256 * 1024 * 1024
const msMax = 5 * 60_000

/** For one record as JSON, which encodes bytes as text. 5000 entries with every field have half as many values. */
export const recordLimits: JsonLimits = {
  bytesMax: 3 * recordBytesMax,
  valuesMax: 100_000,
  namesMax: 1_000,
}

/** For a page without its record values: a hundred addresses and a cursor. */
const outerLimits: JsonLimits = { bytesMax: 256 * 1024, valuesMax: 2_000, namesMax: 200 }
/** Below the answer, its list and an entry. */
const depthOfRecords = 3

/** The longest DID, collection and key, with separators. */
const uriCharsMax = 1_200

interface RecordPage {
  /** Without records whose key is invalid. */
  readonly records: readonly PageRecord[]
  /** How many the page lists, including invalid ones. */
  readonly listed: number
  /** Of the next page; null: this is the last one. */
  readonly cursor: string | null
}

interface PageRecord {
  readonly rkey: string
  /** Null: the server sent none. */
  readonly cid: string | null
  /** Not parsed yet. */
  readonly value: JsonPiece
}

interface CollectionRead {
  readonly did: Did
  readonly collection: string
  /** Further records are left out. */
  readonly recordsMax: number
}

/** `ask` fetches one page. Throws what `ask` throws, UnusableAnswerError, and ServerUnreachableError after `msMax`. */
export async function* listRecords(
  { did, collection, recordsMax }: CollectionRead,
  ask: (query: XrpcParameters, bytesMax: number) => Promise<Uint8Array>,
): AsyncGenerator<readonly PageRecord[]> {
  const givesUpAt = performance.now() + msMax
  let bytesLeft = collectionBytesMax
  let recordsLeft = recordsMax
  let limit = recordsPerPage
  let limitMax = smallRecordsPerPage
  const query = { repo: did, collection }
  const count = (bytes: number): void => {
    bytesLeft -= bytes
    if (bytesLeft < 0) throw new UnusableAnswerError(listMethod, 'too many bytes')
    if (performance.now() > givesUpAt) throw new ServerUnreachableError(listMethod)
  }
  const askForPage = async (at: { readonly cursor?: string }): Promise<RecordPage> => {
    const body = await ask({ ...query, limit, ...at }, pageBytesMax).catch((error) => {
      if (limit === recordsPerPage || !(error instanceof UnusableAnswerError)) throw error
      // Large records may come after small ones. A server that alternates them must not have each page read twice.
      count(pageBytesMax)
      limit = limitMax = recordsPerPage
      return ask({ ...query, limit, ...at }, pageBytesMax)
    })
    count(body.length)
    const page = await readRecordPage(body)
    const isSmall = body.length <= page.listed * smallRecordBytes
    limit = isSmall ? limitMax : recordsPerPage
    return page
  }
  for await (const page of xrpcPages(askForPage, recordsMax)) {
    yield page.records.slice(0, recordsLeft)
    recordsLeft -= page.listed
    // An empty page counts as the last one, so that the loop ends.
    if (recordsLeft <= 0 || page.listed === 0) return
  }
}

/** The record keys of a collection as the account's server lists them, unproven. Throws as `publicQuery` does. */
export async function listRecordKeys(
  identity: Pick<Identity, 'did' | 'pds'>,
  collection: Omit<CollectionRead, 'did'>,
  context: QueryContext,
): Promise<string[]> {
  return [...(await listRecordCids(identity, collection, context)).keys()]
}

/** As `listRecordKeys`, each with its CID; null: the server sent none. */
export async function listRecordCids(
  { did, pds }: Pick<Identity, 'did' | 'pds'>,
  collection: Omit<CollectionRead, 'did'>,
  context: QueryContext,
): Promise<ReadonlyMap<string, string | null>> {
  const cids = new Map<string, string | null>()
  const pages = listRecords({ did, ...collection }, (parameters, bytesMax) =>
    publicAnswer({ server: pds, method: listMethod, parameters, bytesMax }, context),
  )
  for await (const page of pages) {
    const known = cids.size
    for (const { rkey, cid } of page) cids.set(rkey, cid)
    // A server that repeats itself has no more records, whatever its cursor says.
    if (cids.size === known) break
  }
  return cids
}

/** Does not parse the records: they cost nothing until `parseRecord` is called. Throws UnusableAnswerError. */
async function readRecordPage(body: Uint8Array): Promise<RecordPage> {
  const { fields: page, inner } = await readOuter(listMethod, body, depthOfRecords)
  const listed = page.objects('records')
  return {
    records: listed.flatMap((record) => recordOf(record, inner) ?? []),
    listed: listed.length,
    cursor: cursorOf(page),
  }
}

/** Reads the answer of `getRecord` but does not parse the record. Throws UnusableAnswerError. */
export async function readRecord(
  method: string,
  body: Uint8Array,
): Promise<{ fields: AnswerFields; value: JsonPiece }> {
  const { fields, inner } = await readOuter(method, body, 1)
  return { fields, value: pieceAt(fields, inner) }
}

async function readOuter(
  method: string,
  body: Uint8Array,
  depth: number,
): Promise<{ fields: AnswerFields; inner: readonly JsonPiece[] }> {
  return await usable(method, async () => {
    const { outer, inner } = await scanJson(body, { depth, outerBytesMax: outerLimits.bytesMax })
    return { fields: new AnswerFields(method, parsePiece(outer, outerLimits)), inner }
  })
}

function recordOf(record: AnswerFields, inner: readonly JsonPiece[]): PageRecord | null {
  const uri = record.string('uri', uriCharsMax)
  const rkey = uri.slice(uri.lastIndexOf('/') + 1)
  if (!isRecordKey(rkey)) return null
  const value = pieceAt(record, inner)
  return { rkey, cid: record.has('cid') ? record.cid('cid') : null, value }
}

/** The scan left a list with a piece's number in place of each value, so the server cannot choose the number. */
function pieceAt(record: AnswerFields, inner: readonly JsonPiece[]): JsonPiece {
  const [number] = record.list('value')
  const value = inner[Number(number)]
  if (value === undefined) throw record.unusable('value')
  return value
}

/** Null if the record exceeds the limits. Throws UnusableAnswerError. */
export async function parseRecord(
  value: JsonPiece,
  method: string,
  limits = recordLimits,
): Promise<unknown> {
  if (value.bytes.length > limits.bytesMax || value.values > limits.valuesMax) return null
  if (value.names > limits.namesMax) return null
  return await usable(method, () => parsePiece(value, limits))
}
