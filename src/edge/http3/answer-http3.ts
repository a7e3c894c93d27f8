import type { Answer } from '#edge/dispatch.ts'
import { canonicalHost } from '#edge/names/route.ts'
import { plainPage, tooManyInProgress } from '#edge/pages.ts'
import { secureFields } from '#edge/tls/secure-fields.ts'
import { clientNetwork } from '#http/client-address.ts'
import { paced } from './paced-body.ts'
import { RequestsInProgress } from './requests-in-progress.ts'

/** How requests over HTTP/3 end, as metrics count them. */
export type Http3End = 'answered' | 'misdirected' | 'refused' | 'stalled' | 'cancelled' | 'failed'

interface Http3Options {
  readonly answer: Answer
  /** Whether the listener has a certificate for a canonical host. */
  readonly covers: (host: string) => boolean
  /** For `Strict-Transport-Security`; 0: without it. */
  readonly hstsSeconds: number
  readonly onRequest: (end: Http3End) => void
  readonly requests?: RequestsInProgress
  /** How long a client may take nothing of its answer. */
  readonly stallMsMax: number
}

/** Requests whose answers are not sent to their last byte, those too that are too small to be paced. */
const pendingMax = 16_000

type Http3Server = Pick<Bun.Server<undefined>, 'pendingRequests' | 'requestIP' | 'timeout'>

/**
 * Answers requests that came over QUIC like all others, but for hosts that the listener has a certificate for (421, RFC 9110
 * §15.5.20), for so many at a time, and no faster than they are taken.
 */
export function answerHttp3(options: Http3Options) {
  const { answer, covers, hstsSeconds, onRequest, stallMsMax } = options
  const { requests = new RequestsInProgress() } = options
  const secure = secureFields(hstsSeconds)
  return async (request: Request, server: Http3Server): Promise<Response> => {
    const host = canonicalHost(request.headers.get('host'))
    if (host === null || !covers(host)) {
      onRequest('misdirected')
      return secure(plainPage(421, 'Misdirected request'))
    }
    const network = clientNetwork(server.requestIP(request)?.address ?? 'unknown', 64)
    const progress = server.pendingRequests > pendingMax ? null : requests.begin(network)
    if (progress === null) {
      onRequest('refused')
      return secure(tooManyInProgress())
    }
    const end = (how: Http3End): void => {
      progress[Symbol.dispose]()
      onRequest(how)
    }
    try {
      return await paced(secure(await answer(request, server)), {
        isHead: request.method === 'HEAD',
        stallMsMax,
        onEnd: (how) => end(how === 'sent' ? 'answered' : how),
      })
    } catch (error) {
      end('failed')
      throw error
    }
  }
}
