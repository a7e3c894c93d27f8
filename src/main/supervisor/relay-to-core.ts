import type { Answer } from '#edge/dispatch.ts'
import { notBegun } from '#http/not-begun.ts'
import { relayTo } from '#main/relay/relay.ts'
import type { Log } from '#observe/log.ts'
import { coreSocketIn } from './core-socket.ts'

/** Longer than a core takes to start, and than most take to end their requests. */
const waitMsMaxDefault = 20_000
const retryAfterSeconds = 5

interface RelayOptions {
  readonly folder: string
  readonly log: Log
  readonly stopping: AbortSignal
  readonly waitMsMax?: number
}

/** Answers a request of the application as the core of this instance does. */
export function relayToCore({
  folder,
  waitMsMax = waitMsMaxDefault,
  ...options
}: RelayOptions): Answer {
  const unix = coreSocketIn(folder)
  return relayTo({
    ...options,
    waitMsMax,
    placeOf: ({ url }) => ({ url, unix }),
    failure: 'core has not answered',
    unreached: () => restarting(notBegun),
    unanswered: (request) => (isIdempotent(request) ? restarting() : lost()),
  })
}

/** RFC 9110 §9.2.2; and the commit of a deploy, which a deploy that is committed answers in the same way. */
const isIdempotent = ({ method, url }: Request): boolean =>
  ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'].includes(method) ||
  (method === 'POST' && /^\/api\/deploys\/[^/]+\/commit$/.test(new URL(url).pathname))

const restarting = (headers: Readonly<Record<string, string>> = {}): Response =>
  refusal(503, 'The service is restarting. Try again in a moment.', {
    'retry-after': String(retryAfterSeconds),
    ...headers,
  })

const lost = (): Response =>
  refusal(502, 'The service broke off, and may have done it. Look before you try again.')

const refusal = (status: number, error: string, headers: Readonly<Record<string, string>> = {}) =>
  Response.json({ error }, { status, headers: { 'cache-control': 'no-store', ...headers } })
