import { urlHostOf } from '#http/url-host.ts'
import type { ServiceProcess } from './service-processes.ts'

const answerMsMax = 3_000

/** `unready`: it runs and says what it lacks. */
export type ServiceState = 'running' | 'unready' | 'stopped'

/** Asks the process of a service on this machine whether it is ready, as a front reaches it. */
export async function askService(asked: ServiceProcess['address']): Promise<ServiceState> {
  if (asked === null) return 'stopped'
  const { host, origin, port } = asked
  const name = urlHostOf(localHostOf(host))
  try {
    const answer = await fetch(`http://${name}:${port}/readyz`, {
      headers: { host: new URL(origin).host, 'x-forwarded-proto': 'https' },
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
    })
    await answer.body?.cancel()
    if (answer.status === 200) return 'running'
    return answer.status === 503 ? 'unready' : 'stopped'
  } catch {
    // Nothing that answers is what was asked for.
    return 'stopped'
  }
}

/** Where this machine reaches what listens at a host of the settings. */
export const localHostOf = (host: string): string =>
  listensEverywhere.has(host) ? '127.0.0.1' : host

const listensEverywhere = new Set(['0.0.0.0', '::'])
