import { isRecordKey } from '@atcute/lexicons/syntax'
import { usable } from '#outbound/answer-body.ts'
import { AnswerFields } from '#outbound/answer-fields.ts'
import { type JsonLimits, type JsonPiece, parsePiece, scanJson } from '#outbound/json-scan.ts'
import { recordBytesMax } from '#site/limits.ts'

export const listMethod = 'com.atproto.repo.listRecords'

/** A record may have 1 MiB, and the server sends it whole. */
export const recordsPerPage = 20
export const pageBytesMax = 32 * 1024 * 1024

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
const cursorCharsMax = 1_024

export interface RecordPage {
  /** Without those whose key no record can have. */
  readonly records: readonly PageRecord[]
  /** How many there are, those included. */
  readonly listed: number
  /** Where the next page begins; null: there is none. */
  readonly cursor: string | null
}

export interface PageRecord {
  readonly rkey: string
  /** Null where the server does not say. */
  readonly cid: string | null
  /** Not parsed yet. */
  readonly value: JsonPiece
}

/**
 * Reads a page of `listRecords`, but for the records in it: whatever a stranger has put into one costs nothing before
 * somebody asks for it (`parseRecord`). Throws UnusableAnswerError.
 */
export async function readRecordPage(body: Uint8Array): Promise<RecordPage> {
  const options = { depth: depthOfRecords, outerBytesMax: outerLimits.bytesMax }
  const { outer, inner } = await usable(listMethod, () => scanJson(body, options))
  const page = new AnswerFields(
    listMethod,
    await usable(listMethod, () => parsePiece(outer, outerLimits)),
  )
  const isLast = [undefined, null, ''].some((none) => page.get('cursor') === none)
  const listed = page.objects('records')
  return {
    records: listed.flatMap((record) => recordOf(record, inner) ?? []),
    listed: listed.length,
    cursor: isLast ? null : page.string('cursor', cursorCharsMax),
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
