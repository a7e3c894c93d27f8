/** 256 random bits. */
export const newSecret = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')

/** Under which a secret is stored: it has too many random bits to be guessed from its hash. */
export const secretHash = (secret: string): string =>
  new Bun.CryptoHasher('sha256').update(secret).digest('hex')
