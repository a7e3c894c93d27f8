import { setTimeout } from 'node:timers/promises'
import { orAborted, withTimeout } from '#concurrency/or-aborted.ts'
import type { Answer } from '#edge/dispatch.ts'
import { connectionField } from '#edge/tls/http2-pipe.ts'
import { codeOf } from '#observe/code-of.ts'
import type { Log } from '#observe/log.ts'
import { connectionIdleSeconds } from '#site/limits.ts'
import { idleField, peerField } from './relayed-requests.ts'

const pollMs = 50
/** A machine that is gone refuses no connection: without this bound, the system tries for two minutes. */
const connectMsMax = 1_000

/** Where a request is sent. */
export interface RelayPlace {
  readonly url: string
  /** Its path, for a socket in place of the host of `url`. */
  readonly unix?: string
  /** In addition to the request's own, or in place of them. */
  readonly headers?: Readonly<Record<string, string>>
}

interface RelayOptions {
  /** Asked again while a request waits; null: there is none now. */
  readonly placeOf: (request: Request) => RelayPlace | null | Promise<RelayPlace | null>
  readonly log: Log
  /** What the log says of an answer that broke off. */
  readonly failure: string
  /** Requests do not wait for a process that the service will not have any more. */
  readonly stopping: AbortSignal
  readonly waitMsMax: number
  /** The answer where no process was reached: nothing was sent. */
  readonly unreached: () => Response
  /** The answer where a process broke off. It may have carried the request out. */
  readonly unanswered: (request: Request) => Response
}

/**
 * Answers a request as another process does, byte for byte and as it comes. While that cannot be reached, because it is being
 * replaced or has died, requests wait.
 */
export function relayTo({
  failure,
  log,
  placeOf,
  stopping,
  unanswered,
  unreached,
  waitMsMax,
}: RelayOptions): Answer {
  return async (request, server) => {
    const peer = server.requestIP(request)?.address ?? ''
    // The other process ends connections that are silent for too long.
    server.timeout(request, 0)
    const { body, method, signal } = request
    const waitsUntil = performance.now() + waitMsMax
    while (true) {
      try {
        const place = await placeOf(request)
        if (place === null) throw new NoPlaceError()
        if (body !== null || !isSafe(method)) {
          const leftMs = waitsUntil - performance.now()
          await orAborted(connects(place, Math.min(Math.max(leftMs, pollMs), connectMsMax)), signal)
        }
        const { headers: added = {}, unix, url } = place
        const headers = withoutHops(request.headers)
        headers.set(peerField, peer)
        headers.delete(connectionField)
        for (const [name, value] of Object.entries(added)) headers.set(name, value)
        const answer = await fetch(url, {
          ...{ method, headers, body, signal },
          ...(unix !== undefined && { unix }),
          redirect: 'manual',
          // What the other process has compressed stays so.
          decompress: false,
          // A request on a connection that the other process closes meanwhile could not be repeated.
          keepalive: false,
        })
        server.timeout(request, Number(answer.headers.get(idleField) ?? connectionIdleSeconds))
        return withoutField(answer)
      } catch (error) {
        if (signal.aborted) return new Response(null, { status: 499 })
        const isUnsent = isNotConnected(error)
        const mayRepeat = isUnsent || isSafe(method)
        if (!mayRepeat) log.error(failure, { error })
        if (mayRepeat && !stopping.aborted && performance.now() < waitsUntil) {
          await setTimeout(pollMs)
          continue
        }
        return isUnsent ? unreached() : unanswered(request)
      }
    }
  }
}

/**
 * Throws NoPlaceError where no connection comes about in `ms`. `fetch` may have taken the body by the time at which it finds that
 * out, and that body cannot be sent again (Bun 1.4.5); and its errors do not say whether it has sent something.
 */
async function connects(place: RelayPlace, ms: number): Promise<void> {
  try {
    await withTimeout(connect(place), ms, () => {
      throw new Error(`no connection after ${ms} ms`)
    })
  } catch (cause) {
    throw new NoPlaceError('no connection', { cause })
  }
}

async function connect({ unix, url }: RelayPlace): Promise<void> {
  const socket = { data() {} }
  const { hostname, port } = new URL(url)
  const connected =
    unix === undefined
      ? await Bun.connect({
          hostname: hostname.replace(/^\[|\]$/g, ''),
          port: Number(port || 80),
          socket,
        })
      : await Bun.connect({ unix, socket })
  connected.end()
}

/** No process is there to be asked. */
class NoPlaceError extends Error {
  override readonly name = 'NoPlaceError'
}

/** RFC 9110 §9.2.1: it changes nothing. The other process may have died while it answered. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Whether a request was not sent at all. */
export const isNotConnected = (error: unknown): boolean =>
  error instanceof NoPlaceError || notConnected.has(codeOf(error) ?? '')
/** Nothing was sent: the socket is not there, or its process has died. */
const notConnected = new Set(['ConnectionRefused', 'ECONNREFUSED', 'ENOENT'])

function withoutField(answer: Response): Response {
  const headers = withoutHops(answer.headers)
  for (const name of [idleField, 'transfer-encoding']) headers.delete(name)
  return new Response(answer.body, { status: answer.status, headers })
}

/**
 * Without what concerns one connection alone (RFC 9110 §7.6.1). What a client names in `Connection` stays: it could name
 * what a proxy in front of us has added.
 */
function withoutHops(fields: Headers): Headers {
  const headers = new Headers(fields)
  for (const name of ['connection', 'keep-alive', 'upgrade']) headers.delete(name)
  return headers
}
