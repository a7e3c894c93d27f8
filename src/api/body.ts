import type { z } from 'zod'
import { ApiError } from './errors.ts'

const jsonBytesMax = 64 * 1024

/** The JSON body as `schema` has it. Throws ApiError 400 that says what was expected where. */
export async function parseBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(await readJson(request, jsonBytesMax))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') || 'body'
  throw new ApiError(400, `${where}: ${issue?.message ?? 'not what was expected'}`)
}

/** The JSON body, whatever it is. Throws ApiError 400 or, over `bytesMax`, 413. */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new ApiError(413, `body: at most ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw new ApiError(400, 'body: expected JSON')
  }
}
