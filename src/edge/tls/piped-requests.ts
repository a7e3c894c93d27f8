import type { Answer } from '#edge/dispatch.ts'
import { isHost } from '#edge/names/route.ts'
import { plainPage } from '#edge/pages.ts'
import type { RequestServer } from '#http/client-address.ts'
import { takeEarly } from './early-answer.ts'
import type { Visitor } from './secure-connection.ts'
import { secureFields } from './secure-fields.ts'

interface PipedOptions {
  readonly answer: Answer
  readonly pipe: Pipe
  /** For `Strict-Transport-Security`; 0: without it. */
  readonly hstsSeconds: number
  /** `Alt-Svc` of the answers for a host; null: without it. */
  readonly altSvcOf?: (host: string) => string | null
}

/** Finds the visitor of a request that reached an inner server. */
interface Pipe {
  /** Null: the request did not come through the pipe. */
  visitorOf(request: Request, server: InnerServer): Visitor | null
  /** Whether the visitor's network has too many requests in progress. Left out: connections limit them. */
  isCrowded?(visitor: Visitor): boolean
}

type InnerServer = Pick<Bun.Server<undefined>, 'port' | 'requestIP' | 'timeout'>

/**
 * Answers requests that came through the pipe as if the visitors were connected to the server themselves. Refuses whoever connected to
 * the inner server directly (403), and hosts that are not the one of the handshake (421, RFC 9110 §15.5.20).
 */
export function answerPiped({ altSvcOf, answer, hstsSeconds, pipe }: PipedOptions) {
  const secure = secureFields(hstsSeconds)
  /** What the visitors of an inner server are connected to. */
  const outsides = new WeakMap<InnerServer, Outside>()
  const outsideOf = (server: InnerServer): Outside => {
    const known = outsides.get(server) ?? outside(server, pipe)
    outsides.set(server, known)
    return known
  }
  return (request: Request, server: InnerServer): Response | Promise<Response> => {
    const visited = outsideOf(server)
    const visitor = visited.requestIP(request)
    if (visitor === null) {
      return new Response(null, { status: 403, headers: { connection: 'close' } })
    }
    if (!isHost(request.headers.get('host'), visitor.serverName)) {
      return secure(plainPage(421, 'Misdirected request'))
    }
    const altSvc = altSvcOf?.(visitor.serverName) ?? null
    const complete = (response: Response): Response => secure(response, altSvc)
    const answered = takeEarly(visitor, request) ?? answer(request, visited)
    return answered instanceof Promise ? answered.then(complete) : complete(answered)
  }
}

interface Outside extends RequestServer {
  requestIP(request: Request): Visitor | null
}

const outside = (server: InnerServer, pipe: Pipe): Outside => ({
  canOpenFile(request) {
    const visitor = pipe.visitorOf(request, server)
    return visitor !== null && pipe.isCrowded?.(visitor) !== true
  },
  requestIP: (request) => pipe.visitorOf(request, server),
  timeout: (request, seconds) => server.timeout(request, seconds),
})
