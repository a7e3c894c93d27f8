import type { Did } from '#site/site-address.ts'

/** The account has no session: signed out, revoked on its server, or expired. */
export class SessionEndedError extends Error {
  override readonly name = 'SessionEndedError'
  readonly did: Did

  constructor(did: Did, options?: ErrorOptions) {
    super(`no usable session; did=${did}`, options)
    this.did = did
  }
}
