import type { S3Body } from './s3-body.ts'
import { errorCodeIn } from './s3-list.ts'
import type { S3Operation, S3Request } from './s3-request.ts'

/** A server’s wish to be left alone counts up to here. */
const retryAfterMsMax = 60_000
const errorBytesMax = 16 * 1024
const temporaryStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const temporaryCodes: ReadonlySet<string> = new Set(['RequestTimeout', 'SlowDown'])

/** The store refused, or did not answer in time. No message contains credentials or what a server wrote. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly operation: S3Operation
  /** Null: no answer. */
  readonly status: number | null
  /** As S3 names the error: `SlowDown`. */
  readonly code: string | null
  readonly isTemporary: boolean
  readonly retryAfterMs: number

  constructor(
    { operation, status, code, isTemporary, retryAfterMs = 0 }: S3Facts,
    options?: ErrorOptions,
  ) {
    const answered = status === null ? 'no answer' : `status=${status} reason=${code ?? 'none'}`
    super(`blob store failed; operation=${operation} ${answered}`, options)
    this.operation = operation
    this.status = status
    this.code = code
    this.isTemporary = isTemporary
    this.retryAfterMs = retryAfterMs
  }
}

interface S3Facts {
  readonly operation: S3Operation
  readonly status: number | null
  readonly code: string | null
  readonly isTemporary: boolean
  readonly retryAfterMs?: number
}

/** A missing object is an answer; a missing bucket is a failure: otherwise every blob would seem to be lost. */
export async function assertSuccess(
  { key, operation }: S3Request,
  response: Response,
  body: S3Body,
): Promise<void> {
  const { status } = response
  if (response.ok) return
  const code = errorCodeIn(new TextDecoder().decode(await body.start(errorBytesMax)))
  const isOfObject = key !== '' && operation !== 'put' && code !== 'NoSuchBucket'
  if (status === 404 && isOfObject) return
  const isTemporary = temporaryStatuses.has(status) || (code !== null && temporaryCodes.has(code))
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'))
  throw new S3Error({ operation, status, code, isTemporary, retryAfterMs })
}

/** RFC 9110 §10.2.3: seconds or a date. */
function retryAfterOf(field: string | null): number {
  if (field === null) return 0
  const ms = /^\d{1,9}$/.test(field) ? Number(field) * 1000 : Date.parse(field) - Date.now()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), retryAfterMsMax)
}
