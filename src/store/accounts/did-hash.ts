import type { Did } from '#site/site-address.ts'

/** For rows that outlive an account: they recognise it and do not name it. */
export const didHash = (did: Did): string =>
  new Bun.CryptoHasher('sha256').update(did).digest('hex')
