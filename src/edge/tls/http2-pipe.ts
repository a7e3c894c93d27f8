import { randomBytes } from 'node:crypto'
import { FieldInserter } from './field-inserter.ts'
import { defaultPipeLimits, type InnerAddress, passOn } from './piped-connection.ts'
import type { ConnectionHandler, SecureConnection, Visitor } from './secure-connection.ts'

/** Says on which connection a request came. */
export const connectionField = 'sitehost-connection'

/** Nobody guesses the name of another connection. */
const nameBytes = 16

/**
 * Passes decrypted HTTP/2 on to a server of this process, and adds to each request a field with the secret name of its connection. To
 * ask the server for the address of a connection takes two system calls a request, and over a Unix socket there is none.
 */
export class Http2Pipe {
  #to: InnerAddress | null = null
  readonly #limits: typeof defaultPipeLimits
  readonly #visitors = new Map<string, Visitor>()

  constructor(limits = defaultPipeLimits) {
    this.#limits = limits
  }

  /** New connections go to this inner server from now on. It accepts HTTP/2 only. */
  leadTo(address: InnerAddress): void {
    this.#to = address
  }

  /** Null: the request did not come through here, or its client has sent such a field, too. */
  visitorOf(request: Request): Visitor | null {
    return this.#visitors.get(request.headers.get(connectionField) ?? '') ?? null
  }

  readonly accept = (connection: SecureConnection): ConnectionHandler => {
    const to = this.#to
    if (to === null) throw new Error('no inner server yet')
    const visitors = this.#visitors
    const name = randomBytes(nameBytes).toString('base64url')
    const inserter = new FieldInserter(connectionField, name)
    const onInnerOpen = (): Disposable => {
      visitors.set(name, connection.visitor)
      return { [Symbol.dispose]: () => void visitors.delete(name) }
    }
    const change = (bytes: Uint8Array) => inserter.insert(bytes)
    return passOn(connection, { to, limits: this.#limits, onInnerOpen, change })
  }
}
