import { InMemoryRequest } from '#edge/files/in-memory-answer.ts'
import type { Visitor } from './secure-connection.ts'

/** A request that was read here, from its visitor's connection. */
export class DirectRequest extends InMemoryRequest {
  readonly visitor: Visitor
  #inner: Request | null = null
  #ownEnd: AbortController | null = null

  constructor(url: string, headers: [string, string][], visitor: Visitor) {
    super(url, { headers })
    this.visitor = visitor
  }

  // Made when it is read: most answers do without.
  override get signal(): AbortSignal {
    if (this.#inner !== null) return this.#inner.signal
    this.#ownEnd ??= new AbortController()
    return this.#ownEnd.signal
  }

  /** The same request came to the inner server, which sends the answer: it ends as that one does. */
  continueAs(inner: Request): void {
    this.#inner = inner
    const end = this.#ownEnd
    if (end !== null) inner.signal.addEventListener('abort', () => end.abort(), { once: true })
  }

  /** Its visitor has left. */
  abort(): void {
    this.#ownEnd?.abort()
  }
}
