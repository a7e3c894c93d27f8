import { pieceBytes, piecesOf } from '#concurrency/pieces-of.ts'
import { KeyedSemaphore, Semaphore } from '#concurrency/semaphore.ts'
import { urlHostOf } from '#http/url-host.ts'
import type { Tally } from '#observe/tally.ts'
import { boundedResponse, type Transfer } from './bounded-response.ts'
import { Deadlines, type FetchLimits, limitsDefault } from './fetch-limits.ts'
import { ForbiddenHostError, publicAddressOf } from './public-address.ts'
import { createResolveHost, type ResolveHost } from './resolve-host.ts'

export { FetchLimitError } from './fetch-limits.ts'

export type SafeFetch = (
  input: string | URL | Request,
  init?: RequestInit & { limits?: Partial<FetchLimits> },
) => Promise<Response>

const redirectsMax = 3
/** Bun's default for concurrent requests. */
const requestsMaxDefault = 256
const waitingMax = 1000
/** A request that waits longer for a permit fails with SemaphoreBusyError. */
const waitMsMax = 5 * 60_000

/** The requests that go out by one function. */
export interface RequestPool {
  /** Open requests to all hosts together; further ones wait in order of arrival. */
  readonly requestsMax?: number
  /** Limits per host. */
  readonly perHost?: { readonly max: number; readonly waitingMax: number }
  /** Instead, for the directory of accounts, which all callers need and nobody but us names. */
  readonly directoryMax?: number
}

interface SafeFetchOptions extends RequestPool {
  /** Development only: allows loopback and private addresses, plain http and ports. */
  readonly allowPrivate?: boolean
  readonly resolve?: ResolveHost
  /** Defaults; a request may override them. */
  readonly limits?: Partial<FetchLimits>
  /** Host of the directory; left out: `directoryMax` has no effect. */
  readonly directoryHost?: string
  /** Counts how requests end. */
  readonly outcomes?: Tally<FetchOutcome>
  /**
   * Connects by name after the addresses were vetted, for runtimes whose fetch cannot be given the address: another
   * look-up may have another answer. Not for servers.
   */
  readonly connectsByName?: boolean
  /** Replaces the connection to the vetted address. */
  readonly connect?: Connect
}

/** A server's answer by its status; `failed`: none was received, or none was asked for, at a forbidden address. */
export type FetchOutcome = '2xx' | '3xx' | '4xx' | '429' | '5xx' | 'failed'

type Connect = (request: Request, init: BunFetchRequestInit) => Promise<Response>

/**
 * The only way out to hosts that users name. Resolves once, connects only to the vetted address, follows
 * redirects of GET itself under the same rules, and holds two permits (per host and global), the deadlines and
 * the byte cap until the body ends. A large blob as `body` of the init, with its `content-length`, is read as it is
 * sent. Throws ForbiddenHostError, FetchLimitError, SemaphoreBusyError.
 */
export function createSafeFetch(options: SafeFetchOptions = {}): SafeFetch {
  const { allowPrivate = false, resolve = createResolveHost(), connect = fetch } = options
  const { perHost = { max: 4, waitingMax }, requestsMax = requestsMaxDefault } = options
  const { connectsByName = false, directoryHost, directoryMax = perHost.max, outcomes } = options
  const ofHost = new KeyedSemaphore({ ...perHost, waitMsMax })
  const ofDirectory = new KeyedSemaphore({ max: directoryMax, waitingMax, waitMsMax })
  const ofAll = new Semaphore({ key: 'all hosts', max: requestsMax, waitingMax, waitMsMax })

  /** Returns what releases them, once. */
  const permitsFor = async ({ host }: URL, signal: AbortSignal): Promise<() => void> => {
    // The host's permit first: a request that waits for a slow host must not hold a global permit.
    const semaphores = host === directoryHost ? ofDirectory : ofHost
    const permits = [await semaphores.acquire(host, signal)]
    const release = (): void => {
      for (const permit of permits.splice(0)) permit[Symbol.dispose]()
    }
    try {
      permits.push(await ofAll.acquire(signal))
    } catch (error) {
      release()
      throw error
    }
    return release
  }

  const fetchOnce: SafeFetch = async (input, init = {}) => {
    const blob = init.body instanceof Blob ? init.body : null
    // A body that goes through two requests is read ahead of the connection.
    const request = new Request(input, { ...init, ...(blob && { body: null }), redirect: 'manual' })
    const url = new URL(request.url)
    assertAllowedUrl(url, allowPrivate)
    const limits = { ...limitsDefault, ...options.limits, ...init.limits }
    const release = await permitsFor(url, request.signal)
    const deadlines = new Deadlines(url.href)
    try {
      const signal = AbortSignal.any([request.signal, deadlines.signal])
      deadlines.arm('lookup', limits.lookupMs)
      const vetted = allowPrivate ? null : await publicAddressOf(url.hostname, resolve, signal)
      const address = connectsByName ? null : vetted
      deadlines.disarm('lookup')
      const attempt = { request, blob, url, address, connect, signal, deadlines, release }
      const response = await send(attempt, limits)
      outcomes?.add(outcomeOf(response.status))
      return response
    } catch (error) {
      // A caller that no longer wants the answer says nothing about the server.
      if (!request.signal.aborted) outcomes?.add('failed')
      deadlines.disarmAll()
      release()
      throw deadlines.signal.aborted ? deadlines.signal.reason : error
    }
  }

  return async (input, init) => {
    let response = await fetchOnce(input, init)
    if (!mayFollow(input, init)) return response
    let from = new URL(input instanceof Request ? input.url : input)
    for (let hop = 0; isRedirect(response) && hop < redirectsMax; hop++) {
      await response.body?.cancel()
      const to = new URL(response.headers.get('location') ?? '', from)
      response = await fetchOnce(to, to.origin === from.origin ? init : withoutHeaders(init))
      from = to
    }
    return response
  }
}

function outcomeOf(status: number): FetchOutcome {
  if (status >= 500) return '5xx'
  if (status === 429) return '429'
  if (status >= 400) return '4xx'
  return status >= 300 ? '3xx' : '2xx'
}

/** Follows only GET, so that no body is sent twice. */
function mayFollow(input: Parameters<SafeFetch>[0], init: Parameters<SafeFetch>[1]): boolean {
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
  return init?.redirect === 'follow' && method === 'GET'
}

/** Headers meant for one origin are not sent to another. */
function withoutHeaders(init: Parameters<SafeFetch>[1]): Parameters<SafeFetch>[1] {
  const { headers: _, ...rest } = init ?? {}
  return rest
}

const isRedirect = (response: Response): boolean =>
  [301, 302, 303, 307, 308].includes(response.status) && response.headers.has('location')

function assertAllowedUrl(url: URL, allowPrivate: boolean): void {
  if (url.username || url.password) throw new ForbiddenHostError(url.hostname, 'credentials in URL')
  // Bun's fetch also reads file:, data: and other schemes.
  if (allowPrivate && url.protocol === 'http:') return
  if (url.protocol !== 'https:') throw new ForbiddenHostError(url.hostname, 'not https')
  if (!allowPrivate && url.port !== '') throw new ForbiddenHostError(url.hostname, 'port in URL')
}

interface Attempt extends Transfer {
  /** Without its body, if that is `blob`. */
  readonly request: Request
  readonly blob: Blob | null
  /** The vetted address; null: connect by name. */
  readonly address: string | null
  readonly connect: Connect
  /** Aborted by the caller or by a deadline. */
  readonly signal: AbortSignal
}

async function send(attempt: Attempt, limits: FetchLimits): Promise<Response> {
  const { request, blob, url, address, connect, signal, deadlines } = attempt
  const transferMs = (bytes: number): number => (bytes / limits.bytesPerSecondMin) * 1000
  const sentBytes = Number(request.headers.get('content-length') ?? 0)
  deadlines.arm('headers', limits.headersMs + transferMs(sentBytes))
  const response = await connect(connectTo(request, url, address), {
    signal,
    redirect: 'manual',
    // The certificate is checked against the name, not against the literal address.
    tls: { serverName: url.hostname },
    ...(blob && streaming(blob, url)),
  })
  deadlines.disarm('headers')
  deadlines.arm('overall', limits.headersMs + transferMs(limits.responseBytesMax))
  return boundedResponse(response, attempt, limits)
}

/** Over TLS, Bun reads a file into memory before it sends the first byte. */
function streaming(blob: Blob, { protocol }: URL): BunFetchRequestInit & { duplex?: 'half' } {
  const isWhole = protocol === 'http:' || blob.size <= pieceBytes
  if (isWhole) return { body: blob }
  // Bun and Node take an iterable, which their types do not say; `duplex` is for Node.
  return { body: piecesOf(blob) as unknown as BodyInit, duplex: 'half' }
}

/** The same request, addressed to the vetted literal: no second look-up can change it. */
function connectTo(request: Request, url: URL, address: string | null): Request {
  if (address === null) return request
  const target = new URL(url)
  target.hostname = urlHostOf(address)
  const connected = new Request(target, request)
  connected.headers.set('host', url.host)
  return connected
}
