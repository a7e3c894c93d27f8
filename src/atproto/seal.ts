/** Encrypts what must not be readable in the database. */
export interface Seal {
  seal(plain: string, context: string): Promise<string>
  /** Throws SealError when the text was altered, belongs to another context or another key. */
  open(sealed: string, context: string): Promise<string>
}

export class SealError extends Error {
  override readonly name = 'SealError'
}

const nonceBytes = 12
const saltBytes = new Uint8Array(0)

/**
 * AES-256-GCM under a key derived from `secret` (HKDF-SHA-256, `purpose` as its info). `context` is
 * bound as additional data, so that a sealed row copied to another place does not open there.
 */
export async function createSeal(secret: string, purpose: string): Promise<Seal> {
  const encoder = new TextEncoder()
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, [
    'deriveKey',
  ])
  const key = await crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: saltBytes, info: encoder.encode(purpose) },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
  const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encoder.encode(context),
  })
  return {
    async seal(plain, context) {
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const encrypted = await crypto.subtle.encrypt(
        algorithm(nonce, context),
        key,
        encoder.encode(plain),
      )
      return Buffer.concat([nonce, new Uint8Array(encrypted)]).toString('base64url')
    },
    async open(sealed, context) {
      const bytes = new Uint8Array(Buffer.from(sealed, 'base64url'))
      const nonce = bytes.slice(0, nonceBytes)
      try {
        const plain = await crypto.subtle.decrypt(
          algorithm(nonce, context),
          key,
          bytes.slice(nonceBytes),
        )
        return new TextDecoder().decode(plain)
      } catch (cause) {
        throw new SealError(`cannot open sealed value; context=${context}`, { cause })
      }
    },
  }
}
