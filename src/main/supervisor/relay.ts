import { setTimeout } from 'node:timers/promises'
import type { Answer } from '#edge/dispatch.ts'
import { codeOf } from '#observe/code-of.ts'
import type { Log } from '#observe/log.ts'
import { connectionIdleSeconds } from '#site/limits.ts'
import { coreSocketIn, idleField, peerField } from './core-socket.ts'

const pollMs = 50
/** Longer than a core takes to start, and than most take to end their requests. */
const waitMsMaxDefault = 20_000
const retryAfterSeconds = 5

interface RelayOptions {
  readonly folder: string
  readonly log: Log
  /** Requests do not wait for a core that the service will not have any more. */
  readonly stopping: AbortSignal
  readonly waitMsMax?: number
}

/**
 * Answers a request of the application as the core of the instance does, byte for byte and as it comes. While there is none,
 * because it is being replaced or has died, requests wait.
 */
export function relayToCore({
  folder,
  log,
  stopping,
  waitMsMax = waitMsMaxDefault,
}: RelayOptions): Answer {
  const unix = coreSocketIn(folder)
  return async (request, server) => {
    const headers = new Headers(request.headers)
    headers.set(peerField, server.requestIP(request)?.address ?? '')
    // The core ends connections that are silent for too long.
    server.timeout(request, 0)
    const { body, method, signal, url } = request
    const waitsUntil = performance.now() + waitMsMax
    while (true) {
      try {
        const answer = await fetch(url, {
          ...{ unix, method, headers, body, signal },
          redirect: 'manual',
          // What the core has compressed stays so.
          decompress: false,
          // A request on a connection that the core closes meanwhile could not be repeated.
          keepalive: false,
        })
        server.timeout(request, Number(answer.headers.get(idleField) ?? connectionIdleSeconds))
        return withoutField(answer)
      } catch (error) {
        if (signal.aborted) return new Response(null, { status: 499 })
        const mayRepeat = isNotConnected(error) || isSafe(method)
        if (!mayRepeat) log.error('core has not answered', { error })
        if (mayRepeat && !stopping.aborted && performance.now() < waitsUntil) {
          await setTimeout(pollMs)
          continue
        }
        return new Response('The service is restarting. Try again in a moment.\n', {
          status: 503,
          headers: { 'cache-control': 'no-store', 'retry-after': String(retryAfterSeconds) },
        })
      }
    }
  }
}

/** RFC 9110 §9.2.1: it changes nothing. The core may have died while it answered. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD'

const isNotConnected = (error: unknown): boolean => notConnected.has(codeOf(error) ?? '')
/** Nothing was sent: the socket is not there, or its process has died. */
const notConnected = new Set(['ECONNREFUSED', 'ENOENT'])

function withoutField(answer: Response): Response {
  const headers = new Headers(answer.headers)
  for (const name of [idleField, 'connection', 'keep-alive', 'transfer-encoding'])
    headers.delete(name)
  return new Response(answer.body, { status: answer.status, headers })
}
