import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * Signs with the newest secret and accepts signatures of all, so that replacing a secret signs nobody out. Each purpose
 * has its own keys: a value signed for one never verifies for another.
 */
export class KeyRing {
  readonly #secrets: readonly [string, ...string[]]
  readonly #keys = new Map<string, readonly Buffer[]>()

  /** Newest first. */
  constructor(secrets: readonly [string, ...string[]]) {
    this.#secrets = secrets
  }

  sign(purpose: string, value: string): string {
    const [newest] = this.#keysFor(purpose)
    if (newest === undefined) throw new TypeError('a key ring has at least one key')
    return macOf(newest, value).toString('base64url')
  }

  verifies(purpose: string, value: string, signature: string): boolean {
    // Compares strings: decoding would ignore appended characters.
    const given = Buffer.from(signature)
    return this.#keysFor(purpose).some((key) => {
      const expected = Buffer.from(macOf(key, value).toString('base64url'))
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
  }

  #keysFor(purpose: string): readonly Buffer[] {
    const known = this.#keys.get(purpose)
    if (known) return known
    const keys = this.#secrets.map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, '', `sitehost ${purpose}`, 32)),
    )
    this.#keys.set(purpose, keys)
    return keys
  }
}

const macOf = (key: Buffer, value: string): Buffer =>
  createHmac('sha256', key).update(value).digest()
