import { isRecordKey } from '@atcute/lexicons/syntax'
import { usable } from '#outbound/answer-body.ts'
import { AnswerFields } from '#outbound/answer-fields.ts'
import { type JsonLimits, type JsonPiece, parsePiece, scanJson } from '#outbound/json-scan.ts'
import { ServerUnreachableError, UnusableAnswerError } from '#outbound/server-errors.ts'
import { recordBytesMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { cursorOf, xrpcPages } from './pages.ts'

export const listMethod = 'com.atproto.repo.listRecords'

/** A record may have 1 MiB, and the server sends it whole. */
const recordsPerPage = 20
const pageBytesMax = 32 * 1024 * 1024
/** Of a whole collection. A thousand sites of the size that we write have half as many bytes. */
const collectionBytesMax = 256 * 1024 * 1024
const msMax = 5 * 60_000

/** One record as JSON: text where the repository has bytes. Of 5000 entries with every field each, half as many values. */
export const recordLimits: JsonLimits = {
  bytesMax: 3 * recordBytesMax,
  valuesMax: 100_000,
  namesMax: 1_000,
}

/** All of a page but the records themselves: twenty addresses, and where the next one begins. */
const outerLimits: JsonLimits = { bytesMax: 64 * 1024, valuesMax: 1_000, namesMax: 200 }
/** The answer, its list, an entry of it: what is deeper is a record. */
const depthOfRecords = 3

/** DID, collection and key at their longest, and what is between them. */
const uriCharsMax = 1_200

interface RecordPage {
  /** Without those whose key no record can have. */
  readonly records: readonly PageRecord[]
  /** How many there are, those included. */
  readonly listed: number
  /** Where the next page begins; null: there is none. */
  readonly cursor: string | null
}

interface PageRecord {
  readonly rkey: string
  /** Null where the server does not say. */
  readonly cid: string | null
  /** Not parsed yet. */
  readonly value: JsonPiece
}

interface CollectionRead<Collection extends string> {
  readonly did: Did
  readonly collection: Collection
  /** Those that come after so many are left out. */
  readonly recordsMax: number
}

interface ListQuery<Collection extends string> {
  readonly repo: Did
  readonly collection: Collection
  readonly limit: number
  readonly cursor?: string
}

/**
 * A collection's records page by page, as `ask` brings the answers of at most `bytesMax`, until there are no more or
 * `recordsMax` of them. Throws what `ask` throws, UnusableAnswerError, and ServerUnreachableError when it takes too long.
 */
export async function* listRecords<Collection extends string>(
  { did, collection, recordsMax }: CollectionRead<Collection>,
  ask: (query: ListQuery<Collection>, bytesMax: number) => Promise<Uint8Array>,
): AsyncGenerator<readonly PageRecord[]> {
  const givesUpAt = performance.now() + msMax
  let bytesLeft = collectionBytesMax
  let recordsLeft = recordsMax
  const query = { repo: did, collection, limit: recordsPerPage }
  const askForPage = async (at: { readonly cursor?: string }): Promise<RecordPage> => {
    const body = await ask({ ...query, ...at }, pageBytesMax)
    bytesLeft -= body.length
    if (bytesLeft < 0) throw new UnusableAnswerError(listMethod, 'too many bytes')
    if (performance.now() > givesUpAt) throw new ServerUnreachableError(listMethod)
    return await readRecordPage(body)
  }
  for await (const page of xrpcPages(askForPage, recordsMax)) {
    yield page.records.slice(0, recordsLeft)
    recordsLeft -= page.listed
    // An empty page is the last one, or there would be no end.
    if (recordsLeft <= 0 || page.listed === 0) return
  }
}

/**
 * Reads a page of `listRecords`, but for the records in it: whatever a stranger has put into one costs nothing before
 * somebody asks for it (`parseRecord`). Throws UnusableAnswerError.
 */
async function readRecordPage(body: Uint8Array): Promise<RecordPage> {
  const options = { depth: depthOfRecords, outerBytesMax: outerLimits.bytesMax }
  const { outer, inner } = await usable(listMethod, () => scanJson(body, options))
  const page = new AnswerFields(
    listMethod,
    await usable(listMethod, () => parsePiece(outer, outerLimits)),
  )
  const listed = page.objects('records')
  return {
    records: listed.flatMap((record) => recordOf(record, inner) ?? []),
    listed: listed.length,
    cursor: cursorOf(page),
  }
}

/** The answer of `getRecord`, but for the record in it. Throws UnusableAnswerError. */
export async function readRecord(
  method: string,
  body: Uint8Array,
): Promise<{ fields: AnswerFields; value: JsonPiece }> {
  const options = { depth: 1, outerBytesMax: outerLimits.bytesMax }
  const { outer, inner } = await usable(method, () => scanJson(body, options))
  const fields = new AnswerFields(
    method,
    await usable(method, () => parsePiece(outer, outerLimits)),
  )
  return { fields, value: pieceAt(fields, inner) }
}

function recordOf(record: AnswerFields, inner: readonly JsonPiece[]): PageRecord | null {
  const uri = record.string('uri', uriCharsMax)
  const rkey = uri.slice(uri.lastIndexOf('/') + 1)
  if (!isRecordKey(rkey)) return null
  const value = pieceAt(record, inner)
  return { rkey, cid: record.has('cid') ? record.cid('cid') : null, value }
}

/** Every list that deep down is the number of a piece, whatever the server wrote there. */
function pieceAt(record: AnswerFields, inner: readonly JsonPiece[]): JsonPiece {
  const [number] = record.list('value')
  const value = inner[Number(number)]
  if (value === undefined) throw record.unusable('value')
  return value
}

/** Null where there is more in it than in any record of ours. Throws UnusableAnswerError. */
export async function parseRecord(
  value: JsonPiece,
  method: string,
  limits = recordLimits,
): Promise<unknown> {
  if (value.bytes.length > limits.bytesMax || value.values > limits.valuesMax) return null
  if (value.names > limits.namesMax) return null
  return await usable(method, () => parsePiece(value, limits))
}
