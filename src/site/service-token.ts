import { ownNamespace } from './namespace.ts'

/** What a token of an account's server permits here (`lxm`): all that a program of the account may manage at an instance. */
export const manageMethod = `${ownNamespace.name}.manage` as const

/**
 * The DID by which account servers name an instance as the audience of a token. The specification of AT Protocol
 * permits ports in did:web for `localhost` only, so all loopback addresses count as that.
 */
export function audienceOf(origin: string): string {
  const { hostname, port } = new URL(origin)
  const isLoopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname)
  return `did:web:${isLoopback ? 'localhost' : hostname}${port && `%3A${port}`}`
}
