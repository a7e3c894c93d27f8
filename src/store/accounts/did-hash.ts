import type { Did } from '#site/site-address.ts'

/** For rows that outlive an account: it is recognised by them, and not named. */
export const didHash = (did: Did): string =>
  new Bun.CryptoHasher('sha256').update(did).digest('hex')
