import { loopbackCertificate, loopbackCertificateKey } from './loopback-certificate.ts'

/** What a client sends, and to which path. */
export interface AcmeRequest {
  readonly path: string
  /** Of a signed request; null: there is none. */
  readonly payload: Readonly<Record<string, unknown>> | null
}

/** In front of an authority: what it does not do, such as limits and renewal information. */
export interface AcmeProxy extends AsyncDisposable {
  /** Of its directory. */
  readonly url: string
  readonly origin: string
  /** Without those that the authority refused, such as a nonce. */
  readonly requests: AcmeRequest[]
  /** What its directory has in addition. */
  directory: Readonly<Record<string, unknown>>
  /** Answers in place of the authority; null: that one does. */
  answer: (request: AcmeRequest) => Response | null
}

/** `upstream`: URL of the authority's directory. */
export function startAcmeProxy(upstream: string): AcmeProxy {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: loopbackCertificate, key: loopbackCertificateKey },
    async fetch(request) {
      const { host, pathname: path } = new URL(request.url)
      const body = request.method === 'POST' ? await request.text() : null
      const asked = { path, payload: body === null ? null : payloadOf(body) }
      const own = proxy.answer(asked)
      if (own !== null) {
        proxy.requests.push(asked)
        return own
      }
      // The authority signs over, and answers with, the addresses that its client sees.
      const headers = { host, 'content-type': 'application/jose+json' }
      const answer = await fetch(new URL(path, upstream), {
        ...{ method: request.method, headers, body },
        tls: { ca: loopbackCertificate },
      })
      if (answer.ok) proxy.requests.push(asked)
      if (path !== new URL(upstream).pathname) return answer
      return Response.json({ ...((await answer.json()) as object), ...proxy.directory })
    },
  })
  const { origin } = server.url
  const proxy: AcmeProxy = {
    url: `${origin}${new URL(upstream).pathname}`,
    origin,
    requests: [],
    directory: {},
    answer: () => null,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return proxy
}

/** Of a JWS; empty for POST-as-GET. */
function payloadOf(body: string): Record<string, unknown> | null {
  const { payload } = JSON.parse(body) as { payload: string }
  const text = Buffer.from(payload, 'base64url').toString()
  return text === '' ? null : JSON.parse(text)
}
