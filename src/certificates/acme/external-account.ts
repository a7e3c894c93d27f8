import { createHmac } from 'node:crypto'

/** An account that exists with an authority already, to which ours is bound (RFC 8555 §7.3.4). */
export interface ExternalAccount {
  readonly keyId: string
  /** HMAC key in base64url, as the authority shows it. */
  readonly key: string
}

/** `jwk`: of our account's key; `url`: to which it is sent. */
export function externalAccountBinding({ key, keyId }: ExternalAccount, jwk: object, url: string) {
  const encoded = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = encoded({ alg: 'HS256', kid: keyId, url })
  const payload = encoded(jwk)
  const signature = createHmac('sha256', Buffer.from(key, 'base64url'))
    .update(`${header}.${payload}`)
    .digest('base64url')
  return { protected: header, payload, signature }
}
