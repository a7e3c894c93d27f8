import { preferredLanguage } from '#http/accept-language.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'

/** What rules ask of a request; each is worked out when a rule first asks for it, and once. */
export class VisitorFacts {
  readonly #request: VisitorRequest
  #query: ReadonlyMap<string, string> | null = null
  #cookies: ReadonlySet<string> | null = null
  #language: string | null | undefined

  constructor(request: VisitorRequest) {
    this.#request = request
  }

  get host(): string {
    return this.#request.host
  }

  /** Upper case. */
  get country(): string | null {
    return this.#request.country
  }

  /** Decoded as a form; of several values of one key the last. */
  get query(): ReadonlyMap<string, string> {
    this.#query ??= new Map(new URLSearchParams(this.#request.search))
    return this.#query
  }

  /** The names of those that came with a value or without one. */
  get cookies(): ReadonlySet<string> {
    this.#cookies ??= cookieNames(this.#request.header('cookie') ?? '')
    return this.#cookies
  }

  /** The one that is wanted most, lower case. */
  get language(): string | null {
    if (this.#language === undefined) {
      this.#language = preferredLanguage(this.#request.header('accept-language'))
    }
    return this.#language
  }
}

function cookieNames(header: string): Set<string> {
  return new Set(header.split(';').map((pair) => (pair.split('=', 1)[0] ?? '').trim()))
}
