import { ApiError, answeredError } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'

interface SentFile {
  readonly path: string
  readonly body: Blob
  readonly isGzipped: boolean
  readonly onProgress: (fraction: number) => void
  readonly signal: AbortSignal
}

/** `PUT`s the bytes. Throws ApiError, and the signal's reason. */
// XMLHttpRequest, because fetch does not tell how much of a body has left.
export function sendFile({ path, body, isGzipped, onProgress, signal }: SentFile): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open('PUT', path)
    request.setRequestHeader('content-type', 'application/octet-stream')
    if (isGzipped) request.setRequestHeader('content-encoding', 'gzip')
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onload = () => {
      const { status } = request
      if (status < 300) return resolve()
      const headers = new Headers({ 'retry-after': request.getResponseHeader('retry-after') ?? '' })
      reject(answeredError(status, jsonOf(request.responseText), headers))
    }
    request.onerror = () => reject(new ApiError(null, words.publish.brokenOff))
    request.onabort = () => reject(signal.reason)
    const abort = () => request.abort()
    signal.addEventListener('abort', abort)
    request.onloadend = () => signal.removeEventListener('abort', abort)
    request.send(body)
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The body to send: compressed where that pays. A compressed file is in memory whole. */
export async function bodyOf(
  path: string,
  blob: Blob,
): Promise<{ readonly body: Blob; readonly isGzipped: boolean }> {
  const isWorthwhile = blob.size >= gzipBytesMin && blob.size <= gzipBytesMax && isText.test(path)
  if (!isWorthwhile || typeof CompressionStream === 'undefined') {
    return { body: blob, isGzipped: false }
  }
  const stream = blob.stream().pipeThrough(new CompressionStream('gzip'))
  const gzipped = await new Response(stream).blob()
  const isSmaller = gzipped.size < blob.size * gzipShareMax
  return isSmaller ? { body: gzipped, isGzipped: true } : { body: blob, isGzipped: false }
}

/** A smaller file fits into one packet as it is. */
const gzipBytesMin = 1400
const gzipBytesMax = 8 * 1024 * 1024
const gzipShareMax = 0.9
const isText =
  /\.(html?|css|[cm]?js|jsx|tsx?|json|map|svg|xml|txt|md|csv|webmanifest|rss|atom|wasm|ico|bmp|ttf|otf|eot|pdf)$/i
