export interface ConsentOptions {
  /** Deny access instead of granting it. */
  reject?: boolean
  /** Grant these instead of all that the application asks for, separated by spaces. */
  scope?: string
  /** How the PDS is reached; as everything is, when left out. */
  fetch?: Send
}

/** What of `fetch` is used here. */
export type Send = (url: URL, init: RequestInit) => Promise<Response>

/**
 * Does over plain HTTP what a person does on the reference PDS's pages: signs in, then authorizes.
 * Returns where the PDS sends the browser, the application's callback with `code` and `state`, or
 * with `error`; it is not fetched. A quarter of a browser's time, but no proof that the pages work.
 */
export async function consentOverHttp(
  authorizeUrl: string | URL,
  username: string,
  password: string,
  { reject = false, scope, fetch: send = fetch }: ConsentOptions = {},
): Promise<URL> {
  const visit = new ConsentVisit(new URL(authorizeUrl), send)
  const page = await visit.navigate(authorizeUrl, 'none')
  if (page.status !== 200) return redirectOf(page)

  const { url } = reject
    ? await visit.call<{ url: string }>('/reject', {})
    : await signInAndConsent(visit, username, password, scope)
  return redirectOf(await visit.navigate(url, 'same-origin'))
}

async function signInAndConsent(
  visit: ConsentVisit,
  username: string,
  password: string,
  scope: string | undefined,
) {
  const signedIn = await visit.call<{ account: { did: string }; ephemeralToken?: string }>(
    '/sign-in',
    { locale: 'en', username, password, remember: false },
  )
  // What the page holds in memory when the person did not ask to be remembered.
  const token = signedIn.ephemeralToken
  const headers = token ? { authorization: `Bearer ${token}` } : {}
  const consent = { did: signedIn.account.did, ...(scope !== undefined && { scope }) }
  return await visit.call<{ url: string }>('/consent', consent, headers)
}

/** One browser tab on the PDS: its cookies, and the headers by which the PDS knows a browser. */
class ConsentVisit {
  readonly #cookies = new Bun.CookieMap()
  readonly #authorizeUrl: URL
  readonly #send: Send

  constructor(authorizeUrl: URL, send: Send) {
    this.#authorizeUrl = authorizeUrl
    this.#send = send
  }

  async navigate(url: string | URL, site: 'none' | 'same-origin'): Promise<Response> {
    return await this.#fetch(url, {
      headers: {
        accept: 'text/html',
        'sec-fetch-site': site,
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        ...(site === 'same-origin' && { referer: this.#authorizeUrl.href }),
      },
    })
  }

  async call<Output>(path: string, input: object, headers: Record<string, string> = {}) {
    const { origin, href } = this.#authorizeUrl
    const response = await this.#fetch(`${origin}/@atproto/oauth-provider/~api${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        'sec-fetch-mode': 'same-origin',
        'sec-fetch-dest': 'empty',
        origin,
        referer: href,
        'x-csrf-token': this.#cookies.get('csrf-token') ?? '',
        ...headers,
      },
      body: JSON.stringify(input),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Output
  }

  async #fetch(url: string | URL, init: { headers: Record<string, string> } & RequestInit) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...init.headers, 'user-agent': 'test', cookie }
    const response = await this.#send(new URL(url), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#cookies.set(Bun.Cookie.parse(line))
    return response
  }
}

async function redirectOf(response: Response): Promise<URL> {
  const location = response.headers.get('location')
  if (!location) throw new Error(`no redirect: ${response.status} ${await response.text()}`)
  return new URL(location)
}
