import type { z } from 'zod'
import { jsonBytesMax } from '#api/contract/limits.ts'
import { bodyTooLarge, sentences } from '#api/contract/messages.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { JsonLimitError, parseBoundedJson } from '#outbound/json-scan.ts'
import { expectation } from '#site/record/expectation.ts'
import { ApiError } from './errors.ts'

/** The time limit for receiving a JSON body. */
const jsonArrivalMsMax = 10_000
/** Settings at every limit have 300 values, and 20 field names. */
const jsonLimits = { valuesMax: 2_000, namesMax: 200 }

/** Parses the JSON body; a missing optional one is `{}`. Throws ApiError as `parse`, and 408 for a body that is too slow. */
export async function parseBody<T>(
  request: Request,
  { schema, isOptional }: { readonly schema: z.ZodType<T>; readonly isOptional?: true },
  { arrivalMsMax = jsonArrivalMsMax }: { readonly arrivalMsMax?: number } = {},
): Promise<T> {
  const bytes = await readBytes(request, jsonBytesMax, arrivalMsMax)
  return parse(schema, isOptional && bytes.length === 0 ? {} : await parseJson(bytes))
}

/** Throws ApiError 400 with the field and what was expected. */
export function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  try {
    const parsed = schema.safeParse(value, { error: expectation })
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'body'
    throw new ApiError(400, `${where}: ${issue?.message ?? 'not what was expected'}`)
  } catch (error) {
    // zod compares any value's `length`, and throws if that is an object.
    if (!(error instanceof TypeError)) throw error
    throw new ApiError(400, 'body: not what was expected')
  }
}

interface JsonOptions {
  readonly bytesMax: number
  readonly valuesMax?: number
  readonly arrivalMsMax?: number
}

/** The JSON body, unchecked. Throws ApiError 400, 413 above `bytesMax`, or 408 for a body that is too slow. */
export async function readJson(
  request: Request,
  { bytesMax, valuesMax = jsonLimits.valuesMax, arrivalMsMax = jsonArrivalMsMax }: JsonOptions,
): Promise<unknown> {
  return await parseJson(await readBytes(request, bytesMax, arrivalMsMax), valuesMax)
}

/** The whole body as text. Throws ApiError 408 and 413. */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  const bytes = await readBytes(request, bytesMax, jsonArrivalMsMax)
  return new TextDecoder().decode(bytes)
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
    // Not awaited: the client may never send the rest.
    reader.cancel().catch(() => {})
    throw error === deadline.reason ? new ApiError(408, sentences.bodyTooSlow) : error
  }
}

async function parseJson(bytes: Uint8Array, valuesMax = jsonLimits.valuesMax): Promise<unknown> {
  try {
    const limits = { ...jsonLimits, bytesMax: bytes.length, valuesMax }
    return await parseBoundedJson(bytes, limits)
  } catch (error) {
    const isTooMuch = error instanceof JsonLimitError
    throw new ApiError(400, isTooMuch ? `body: too many ${error.limit}` : 'body: expected JSON')
  }
}
