import { type Finding, ok, warning } from '#cli/diagnosis/finding.ts'
import type { Config } from '#main/config/config.ts'
import { answersHttp3 } from '#main/status/answers-http3.ts'

/** Whether the application is reached over HTTP/3, where that is on. */
export async function checkHttp3(
  { http3, listen }: Pick<NonNullable<Config['tls']>, 'http3' | 'listen'>,
  application: string,
): Promise<Finding[]> {
  if (!http3) return []
  const at = `UDP port ${listen.port}`
  if (await answersHttp3(listen, application)) return [ok('TLS', `${at} answers over HTTP/3`)]
  const advice =
    'start the service; it listens once the application has a certificate, or its log says why not (HTTP/3 not listening). Visitors come by TCP meanwhile'
  return [warning('TLS', `nothing answers over HTTP/3 at ${at}`, advice)]
}
