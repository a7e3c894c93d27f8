import { HostSlots } from './host-slots.ts'
import { orAborted } from './or-aborted.ts'
import {
  ForbiddenHostError,
  publicAddressOf,
  type ResolveHost,
  resolveHost,
} from './public-address.ts'

/** What one request may take. Bytes are of the response body; a longer one fails while it is read. */
export interface FetchLimits {
  readonly responseBytesMax: number
  readonly headersMs: number
  readonly idleMs: number
}

export type SafeFetch = (
  input: string | URL | Request,
  init?: RequestInit & { limits?: Partial<FetchLimits> },
) => Promise<Response>

const limitsDefault: FetchLimits = {
  responseBytesMax: 1024 * 1024,
  headersMs: 10_000,
  idleMs: 10_000,
}
const redirectsMax = 3
const readAheadBytes = 64 * 1024
/** A transfer that is slower than this over its whole size is not worth its slot. */
const bytesPerSecondMin = 32 * 1024

/** A host that users name took too long, or sent more than it may. */
export class FetchLimitError extends Error {
  override readonly name = 'FetchLimitError'
  readonly limit: 'headers' | 'idle' | 'overall' | 'bytes'

  constructor(limit: 'headers' | 'idle' | 'overall' | 'bytes', url: string) {
    super(`${limit} limit reached; url=${url}`)
    this.limit = limit
  }
}

interface SafeFetchOptions {
  /** Development only: allows loopback and private addresses, plain http and ports. */
  readonly allowPrivate?: boolean
  readonly resolve?: ResolveHost
  readonly slots?: { slotsMax: number; waitingMax: number }
  /** Where a request does not say otherwise. */
  readonly limits?: Partial<FetchLimits>
  /** For tests: how the vetted address is connected to. */
  readonly connect?: Connect
}

type Connect = (request: Request, init: BunFetchRequestInit) => Promise<Response>

/**
 * The only way out to hosts that users name. Resolves once, connects to the vetted address and to no
 * other, follows redirects of GET by hand with the same rules, holds one slot of the host and keeps its
 * deadlines and byte cap until the body ends. Throws ForbiddenHostError, FetchLimitError, HostBusyError.
 */
export function createSafeFetch(options: SafeFetchOptions = {}): SafeFetch {
  const { allowPrivate = false, resolve = resolveHost, connect = fetch } = options
  const slots = new HostSlots(options.slots ?? { slotsMax: 4, waitingMax: 1000 })

  const fetchOnce: SafeFetch = async (input, init = {}) => {
    const request = new Request(input, { ...init, redirect: 'manual' })
    const url = new URL(request.url)
    assertAllowedUrl(url, allowPrivate)
    const release = await slots.take(url.host, request.signal)
    try {
      const vetted = allowPrivate
        ? null
        : await orAborted(publicAddressOf(url.hostname, resolve), request.signal)
      const attempt = { request, url, address: vetted, connect, release }
      return await send(attempt, { ...limitsDefault, ...options.limits, ...init.limits })
    } catch (error) {
      release()
      throw error
    }
  }

  return async (input, init) => {
    let response = await fetchOnce(input, init)
    if (init?.redirect !== 'follow') return response
    let from = input instanceof Request ? input.url : String(input)
    for (let hop = 0; isRedirect(response) && hop < redirectsMax; hop++) {
      await response.body?.cancel()
      from = new URL(response.headers.get('location') ?? '', from).href
      response = await fetchOnce(from, init)
    }
    return response
  }
}

const isRedirect = (response: Response): boolean =>
  [301, 302, 303, 307, 308].includes(response.status) && response.headers.has('location')

function assertAllowedUrl(url: URL, allowPrivate: boolean): void {
  if (url.username || url.password) throw new ForbiddenHostError(url.hostname, 'credentials in URL')
  if (allowPrivate) return
  if (url.protocol !== 'https:') throw new ForbiddenHostError(url.hostname, 'not https')
  if (url.port !== '') throw new ForbiddenHostError(url.hostname, 'port in URL')
}

interface Attempt {
  readonly request: Request
  readonly url: URL
  /** The vetted address; null: whatever the name resolves to. */
  readonly address: string | null
  readonly connect: Connect
  /** Gives the host's slot back. */
  readonly release: () => void
}

async function send(
  { request, url, address, connect, release }: Attempt,
  limits: FetchLimits,
): Promise<Response> {
  const deadlines = new Deadlines(url.href)
  const sentBytes = Number(request.headers.get('content-length') ?? 0)
  deadlines.arm('headers', limits.headersMs + transferMs(sentBytes))
  const signal = AbortSignal.any([request.signal, deadlines.signal])
  try {
    const response = await connect(connectTo(request, url, address), {
      signal,
      redirect: 'manual',
      // The certificate is checked against the name, not against the literal that we connect to.
      tls: { serverName: url.hostname },
    })
    deadlines.arm('overall', limits.headersMs + transferMs(limits.responseBytesMax))
    deadlines.disarm('headers')
    return bounded(response, url.href, limits, deadlines, release)
  } catch (error) {
    deadlines.disarmAll()
    throw deadlines.signal.aborted ? deadlines.signal.reason : error
  }
}

const transferMs = (bytes: number): number => (bytes / bytesPerSecondMin) * 1000

/** The same request, addressed to the literal that was vetted: no second look-up can change it. */
function connectTo(request: Request, url: URL, address: string | null): Request {
  if (address === null) return request
  const target = new URL(url)
  target.hostname = address.includes(':') ? `[${address}]` : address
  const connected = new Request(target, request)
  connected.headers.set('host', url.host)
  return connected
}

function bounded(
  response: Response,
  url: string,
  limits: FetchLimits,
  deadlines: Deadlines,
  release: () => void,
): Response {
  const end = (): void => {
    deadlines.disarmAll()
    release()
  }
  if (!response.body) {
    end()
    return response
  }
  const reader = response.body.getReader()
  let receivedBytes = 0
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      // Also when nobody is reading: an answer that its caller forgets must give its slot back.
      deadlines.signal.addEventListener('abort', () => {
        end()
        reader.cancel().catch(() => undefined)
        controller.error(deadlines.signal.reason)
      })
    },
    async pull(controller) {
      deadlines.arm('idle', limits.idleMs)
      try {
        const { done, value } = await reader.read()
        deadlines.disarm('idle')
        if (done) {
          end()
          controller.close()
          return
        }
        receivedBytes += value.byteLength
        if (receivedBytes > limits.responseBytesMax) throw new FetchLimitError('bytes', url)
        controller.enqueue(value)
      } catch (error) {
        end()
        reader.cancel().catch(() => undefined) // the connection is already gone
        controller.error(error)
      }
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  }
  // Read ahead: a small answer that nobody reads, such as that of an error, is over by itself.
  const readAhead = new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes })
  return new Response(new ReadableStream(source, readAhead), response)
}

type Deadline = 'headers' | 'idle' | 'overall'

/** Timers that abort one request when they run out. */
class Deadlines {
  readonly #controller = new AbortController()
  readonly #timers = new Map<Deadline, Timer>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  arm(deadline: Deadline, ms: number): void {
    this.disarm(deadline)
    const abort = () => this.#controller.abort(new FetchLimitError(deadline, this.#url))
    this.#timers.set(deadline, setTimeout(abort, ms))
  }

  disarm(deadline: Deadline): void {
    clearTimeout(this.#timers.get(deadline))
    this.#timers.delete(deadline)
  }

  disarmAll(): void {
    for (const deadline of [...this.#timers.keys()]) this.disarm(deadline)
  }
}
