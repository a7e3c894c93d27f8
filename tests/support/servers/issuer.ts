import { sign } from 'hono/jwt'

type Alg = 'RS256' | 'ES256'

/** An issuer of tokens on loopback, as forges are one for their jobs: with discovery, and keys that change. */
export class Issuer implements AsyncDisposable {
  readonly #server: ReturnType<typeof Bun.serve>
  #keys: { readonly kid: string; readonly alg: Alg; readonly pair: CryptoKeyPair }[] = []
  /** By path. */
  readonly asked: string[] = []
  /** What discovery says instead; null: the truth. */
  lie: object | null = null
  isDown = false

  constructor() {
    this.#server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (r) => this.#answer(r) })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  /** From now on it signs with a new key, the only one that it publishes. */
  async rotate(alg: Alg = 'RS256', kid: string = crypto.randomUUID()): Promise<void> {
    const algorithm =
      alg === 'RS256'
        ? {
            name: 'RSASSA-PKCS1-v1_5',
            hash: 'SHA-256',
            modulusLength: 2048,
            publicExponent: new Uint8Array([1, 0, 1]),
          }
        : { name: 'ECDSA', namedCurve: 'P-256' }
    const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    this.#keys = [{ kid, alg, pair: pair as CryptoKeyPair }]
  }

  /** A token with these claims, signed with its key. */
  async issue(claims: Record<string, unknown>): Promise<string> {
    const [key] = this.#keys
    if (key === undefined) throw new Error('no key yet: rotate')
    const { alg, kid, pair } = key
    const jwk = await crypto.subtle.exportKey('jwk', pair.privateKey)
    return await sign({ iss: this.url, ...claims }, { ...jwk, alg, kid } as never, alg)
  }

  async #answer({ url }: Request): Promise<Response> {
    const { pathname } = new URL(url)
    this.asked.push(pathname)
    if (this.isDown) return new Response('no', { status: 503 })
    if (pathname === '/keys') {
      const keys = this.#keys.map(async ({ alg, kid, pair }) => ({
        ...(await crypto.subtle.exportKey('jwk', pair.publicKey)),
        ...{ alg, kid, use: 'sig' },
      }))
      return Response.json({ keys: await Promise.all(keys) })
    }
    return Response.json({ issuer: this.url, jwks_uri: `${this.url}/keys`, ...this.lie })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
  }
}
