import type { Head } from './files/representation.ts'
import type { Visitor } from './tls/secure-connection.ts'

/**
 * An answer whose body, if any, is in memory. It may be sent from `head` and `body`: later changes to `response.headers` are
 * lost.
 */
export interface WholeAnswer {
  readonly response: Response
  readonly head: Head
  readonly body: Blob | null
}

/** A request that was read here, from its visitor's connection (`tls/direct-requests`). */
export class DirectRequest extends Request {
  readonly visitor: Visitor
  /** Set by `respondFile` when it answers from memory. */
  whole: WholeAnswer | null = null
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
