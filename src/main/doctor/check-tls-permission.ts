import { type Finding, ok, problem, warning } from '#cli/diagnosis/finding.ts'
import { urlHostOf } from '#http/url-host.ts'
import type { Config } from '#main/config/config.ts'

const answerMsMax = 3_000
const about = 'certificates'

/** Asks, as a TLS front does, for a name that may have a certificate and for one that may not. */
export async function checkTlsPermission({
  askListen,
  baseDomain,
  origin,
}: Pick<Config, 'askListen' | 'baseDomain' | 'origin'>): Promise<Finding> {
  if (askListen === null) return ok(about, 'no front asks (ASK_LISTEN)')
  const host = urlHostOf(askListen.host)
  const address = `http://${host}:${askListen.port}/`
  const known = await ask(address, new URL(origin).hostname)
  if (known === null) {
    return warning(about, `nothing answers at ${address}`, 'start the service, and try again')
  }
  const stranger = await ask(address, `doctor-${crypto.randomUUID()}.${baseDomain}`)
  if (known !== 200) {
    return problem(
      about,
      `${address} refuses the application’s own name (${known})`,
      'another program or another instance answers there: compare BASE_URL and ASK_LISTEN',
    )
  }
  if (stranger !== 404) {
    return problem(
      about,
      `${address} does not refuse a name that nobody has (${stranger})`,
      'another program answers there: anybody could have certificates made. Change ASK_LISTEN',
    )
  }
  return ok(about, `${address} permits the application’s name and no others`)
}

/** The status; null: no answer. */
async function ask(address: string, domain: string): Promise<number | null> {
  try {
    const answer = await fetch(`${address}?${new URLSearchParams({ domain })}`, {
      signal: AbortSignal.timeout(answerMsMax),
    })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return null
  }
}
