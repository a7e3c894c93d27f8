import { setTimeout } from 'node:timers/promises'
import type { Log } from '#observe/log.ts'

const pollMs = 50

export type Fetch = (request: Request, server: Server) => Response | Promise<Response>
type Server = Bun.Server<undefined>

/** One server, or several that stop together. */
export type Stoppable = Pick<Server, 'pendingRequests' | 'stop'>

/** Wraps the function by which a server answers. */
export type ChangeFetch = (fetch: Fetch) => Fetch
export const unchanged: ChangeFetch = (fetch) => fetch

interface DrainOptions {
  /** Listens at the server's address, and answers by its changed function; null: other processes do. */
  readonly listenAgain: ((change: ChangeFetch) => Stoppable) | null
  /** When aborted, connections in use are closed. */
  readonly over: AbortSignal
  readonly log: Log
}

/**
 * Stops a server once all its requests are answered completely. Closes idle connections at once. Meanwhile another
 * server at the same address answers new requests, with `Connection: close`: one slow download must not keep all
 * other visitors out.
 */
export async function drain(
  server: Stoppable,
  { listenAgain, log, over }: DrainOptions,
): Promise<void> {
  void server.stop()
  const successor = listenAgain && begin(log, () => listenAgain(closingAll))
  await answered(server, over)
  void successor?.stop()
  await answered(successor, over)
  // Both promises of `stop` also wait for connections without a request.
  await Promise.all([server.stop(true), successor?.stop(true)])
}

const closingAll: ChangeFetch = (fetch) => async (request, server) =>
  closing(await fetch(request, server))

function begin(log: Log, listenAgain: () => Stoppable): Stoppable | null {
  try {
    return listenAgain()
  } catch (error) {
    // Another process has taken the port.
    log.warn('new requests refused while stopping', { error })
    return null
  }
}

/** Its client sends the next request on another connection. */
export function closing(answer: Response): Response {
  answer.headers.set('connection', 'close')
  return answer
}

async function answered(server: Stoppable | null, over: AbortSignal): Promise<void> {
  while (server !== null && server.pendingRequests > 0 && !over.aborted) {
    await setTimeout(pollMs, undefined, { signal: over }).catch(() => undefined)
  }
}
