/** Encrypts values that must not be readable in the database. */
export interface Seal {
  seal(plain: string, context: string): Promise<string>
  /** Throws SealError if the string was altered, or sealed for another context or with another key. */
  open(sealed: string, context: string): Promise<string>
}

export class SealError extends Error {
  override readonly name = 'SealError'
}

const nonceBytes = 12

/**
 * AES-256-GCM with keys derived from secrets (HKDF-SHA-256, `purpose` as info). The first, newest secret seals; all
 * of them open, so that a secret can be replaced. `context` is additional data: a sealed row copied to another place
 * does not open there.
 */
export async function createSeal(
  secrets: readonly [string, ...string[]],
  purpose: string,
): Promise<Seal> {
  const keys = await Promise.all(secrets.map((secret) => deriveKey(secret, purpose)))
  const [newest] = keys as [CryptoKey, ...CryptoKey[]]
  return {
    async seal(plain, context) {
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const encrypted = await crypto.subtle.encrypt(
        algorithm(nonce, context),
        newest,
        encode(plain),
      )
      return Buffer.concat([nonce, new Uint8Array(encrypted)]).toString('base64url')
    },
    async open(sealed, context) {
      const bytes = new Uint8Array(Buffer.from(sealed, 'base64url'))
      const nonce = bytes.slice(0, nonceBytes)
      try {
        const opened = keys.map((key) =>
          crypto.subtle.decrypt(algorithm(nonce, context), key, bytes.slice(nonceBytes)),
        )
        return new TextDecoder().decode(await Promise.any(opened))
      } catch (cause) {
        throw new SealError(`cannot open sealed value; context=${context}`, { cause })
      }
    },
  }
}

async function deriveKey(secret: string, purpose: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', encode(secret), 'HKDF', false, [
    'deriveKey',
  ])
  return await crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: encode(purpose) },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}

const encode = (text: string) => new TextEncoder().encode(text)

const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: encode(context),
})
