import { dnsValuesOf } from '#store/certificates/acme.ts'

/** Between the beginnings of two reads. */
const readEveryMs = 200

interface PendingOptions {
  /** All answers, by token; there are few. */
  readonly read: () => Promise<ReadonlyMap<string, string>>
  readonly everyMs?: number
}

/**
 * Answers to the challenges of certificate authorities, which any process may have stored a moment ago. All callers with unknown
 * tokens share one read, five times a second at most: strangers can make up any token.
 */
export class PendingChallenges {
  readonly #options: PendingOptions
  #answers: ReadonlyMap<string, string> = new Map()
  #running: Promise<void> = Promise.resolve()
  /** A read that has not begun: it sees what is stored now. */
  #next: Promise<void> | null = null

  constructor(options: PendingOptions) {
    this.#options = options
  }

  /** Null: none is expected. Rejects if the answers cannot be read. */
  async answer(token: string): Promise<string | null> {
    const known = this.#answers.get(token)
    if (known !== undefined) return known
    await this.#readSoon()
    return this.#answers.get(token) ?? null
  }

  /** All strings that authorities look for at a name of the DNS now. Rejects if they cannot be read. */
  async dnsValues(name: string): Promise<readonly string[]> {
    await this.#readSoon()
    return dnsValuesOf(this.#answers, name)
  }

  #readSoon(): Promise<void> {
    this.#next ??= this.#readNext()
    return this.#next
  }

  async #readNext(): Promise<void> {
    const { everyMs = readEveryMs, read } = this.#options
    await this.#running
    this.#next = null
    const reading = read().then((answers) => {
      this.#answers = answers
    })
    this.#running = Promise.allSettled([reading, Bun.sleep(everyMs)]).then(() => undefined)
    await reading
  }
}
