import { toBase32 } from '@atcute/multibase'

const idBytes = 10

/** A new custom domain's id: 16 characters of `a-z 2-7`, so that it can stand in a host name. */
export function newDomainId(): string {
  return toBase32(crypto.getRandomValues(new Uint8Array(idBytes)))
}

export const isDomainId = (input: string): boolean => /^[a-z2-7]{16}$/.test(input)
