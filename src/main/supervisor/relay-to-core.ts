import type { Answer } from '#edge/dispatch.ts'
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
    unanswered: () =>
      new Response('The service is restarting. Try again in a moment.\n', {
        status: 503,
        headers: { 'cache-control': 'no-store', 'retry-after': String(retryAfterSeconds) },
      }),
  })
}
