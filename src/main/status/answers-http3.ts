import { urlHostOf } from '#http/url-host.ts'
import type { Config } from '#main/config/config.ts'
import { localHostOf } from './ask-service.ts'

const answerMsMax = 3_000

/** Whether the application is reached over HTTP/3 on this machine. */
export async function answersHttp3(
  { host, port }: NonNullable<Config['tls']>['listen'],
  application: string,
): Promise<boolean> {
  try {
    const answer = await fetch(`https://${urlHostOf(localHostOf(host))}:${port}/healthz`, {
      headers: { host: application },
      protocol: 'http3',
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
      // Its certificate is shown over TCP too, and judged there.
      tls: { rejectUnauthorized: false },
    })
    return answer.ok
  } catch {
    return false
  }
}
