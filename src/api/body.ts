import type { z } from 'zod'
import { jsonBytesMax } from '#api/contract/limits.ts'
import { bodyTooLarge, sentences } from '#api/contract/messages.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { JsonLimitError, parseBoundedJson } from '#outbound/json-scan.ts'
import { expectation } from '#site/record/expectation.ts'
import { ApiError } from './errors.ts'

/** A body of JSON has to arrive within this, however it comes. */
const jsonArrivalMsMax = 10_000
/** Of any body: settings at every limit have 300 values, and fields of twenty names. */
const jsonLimits = { valuesMax: 2_000, namesMax: 200 }

/**
 * The JSON body as `schema` has it; where it is optional, none is `{}`. Throws ApiError 400 that says what was
 * expected where, or 408 for a body that has not arrived in time.
 */
export async function parseBody<T>(
  request: Request,
  { schema, isOptional }: { readonly schema: z.ZodType<T>; readonly isOptional?: true },
  { arrivalMsMax = jsonArrivalMsMax }: { readonly arrivalMsMax?: number } = {},
): Promise<T> {
  const bytes = await readBytes(request, jsonBytesMax, arrivalMsMax)
  return parse(schema, isOptional && bytes.length === 0 ? {} : await parseJson(bytes))
}

/** The value as `schema` has it. Throws ApiError 400 that says what was expected where. */
export function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = safeParse(schema, value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') || 'body'
  throw new ApiError(400, `${where}: ${issue?.message ?? 'not what was expected'}`)
}

/** zod compares the `length` of whatever is there, and throws where that is an object that is no number. */
function safeParse<T>(schema: z.ZodType<T>, body: unknown): z.ZodSafeParseResult<T> {
  try {
    return schema.safeParse(body, { error: expectation })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ApiError(400, 'body: not what was expected')
  }
}

/** The JSON body, whatever it is. Throws ApiError 400, over `bytesMax` 413, or 408 for one that has not arrived in time. */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  return await parseJson(await readBytes(request, bytesMax, jsonArrivalMsMax))
}

async function readBytes(
  { body }: Request,
  bytesMax: number,
  arrivalMsMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  if (body === null) return Buffer.concat(chunks)
  const deadline = AbortSignal.timeout(arrivalMsMax)
  const reader = body.getReader()
  let bytes = 0
  try {
    while (true) {
      const { done, value } = await orAborted(reader.read(), deadline)
      if (done) return Buffer.concat(chunks)
      bytes += value.byteLength
      if (bytes > bytesMax) throw new ApiError(413, bodyTooLarge(bytesMax))
      chunks.push(value)
    }
  } catch (error) {
    // The rest of it is not waited for, nor is the end of a body that broke off.
    reader.cancel().catch(() => {})
    throw error === deadline.reason ? new ApiError(408, sentences.bodyTooSlow) : error
  }
}

async function parseJson(bytes: Uint8Array): Promise<unknown> {
  try {
    return await parseBoundedJson(bytes, { bytesMax: bytes.length, ...jsonLimits })
  } catch (error) {
    const isTooMuch = error instanceof JsonLimitError
    throw new ApiError(400, isTooMuch ? `body: too many ${error.limit}` : 'body: expected JSON')
  }
}
