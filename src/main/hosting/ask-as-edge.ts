import { backoff } from '#concurrency/backoff.ts'
import { isNotConnected } from '#main/relay/relay.ts'
import { codeOf } from '#observe/code-of.ts'
import type { EdgeAnswers, EdgeQuestion } from './edge-questions.ts'

interface AskOptions {
  /** Where another instance answers; null: there is none. Rejects while the database is away. */
  readonly findUrl: () => Promise<string | null>
  readonly token: string
  /** Ends the questions that are open. */
  readonly signal: AbortSignal
}

/** Longer than a statement of the other instance may take, so that it is known whether it has written. */
const answerMsMax = 75_000
/** Visitors may cause questions. */
const questionsAtOnceMax = 100
/** After questions that no instance has taken. */
const pauseMs = backoff({ min: 1_000, max: 30_000, jitter: 0.5 })

/** No instance has done anything: the question may be asked again. */
export class NotTakenError extends Error {
  override readonly name = 'NotTakenError'
}

/** The connection broke, or took too long: nobody knows whether the other instance has done what was asked. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
}

/** Another instance, which writes what this process must not. */
export class WritingInstance {
  readonly #options: AskOptions
  #open = 0
  #failures = 0
  #pausedUntil = 0

  constructor(options: AskOptions) {
    this.#options = options
  }

  /** As `ask`, but asks nobody for a while after failures. */
  async write<Kind extends EdgeQuestion['kind']>(
    question: EdgeQuestion & { readonly kind: Kind },
  ): Promise<EdgeAnswers[Kind]> {
    if (performance.now() < this.#pausedUntil) throw new NotTakenError('instance is asked later')
    try {
      const answer = await this.ask<Kind>(question)
      this.#failures = 0
      return answer
    } catch (error) {
      this.#pausedUntil = performance.now() + pauseMs(this.#failures++)
      throw error
    }
  }

  /** Throws NotTakenError and UnansweredError. */
  async ask<Kind extends EdgeQuestion['kind']>(
    question: EdgeQuestion & { readonly kind: Kind },
  ): Promise<EdgeAnswers[Kind]> {
    if (this.#open >= questionsAtOnceMax) throw new NotTakenError('too many questions are open')
    this.#open++
    try {
      const response = await this.#send('/internal/edge', {
        method: 'POST',
        body: JSON.stringify(question),
      })
      return (await response.json()) as EdgeAnswers[Kind]
    } finally {
      this.#open--
    }
  }

  /** Rejects while no other instance answers. */
  async assertThere(): Promise<void> {
    await (await this.#send('/internal/cache', { method: 'GET' })).body?.cancel()
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const { findUrl, signal, token } = this.#options
    const url = await findUrl().catch((cause: unknown) => {
      throw new NotTakenError('other instances are not known', { cause })
    })
    if (url === null) throw new NotTakenError('no other instance has the roles edge,ingest')
    const response = await fetch(new URL(path, url), {
      ...init,
      headers: { authorization: `Bearer ${token}` },
      redirect: 'error',
      // A connection that the other end closes meanwhile would leave it open whether the question was taken.
      keepalive: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
    }).catch((cause: unknown) => {
      if (isNotConnected(cause)) throw new NotTakenError('instance not reached', { cause })
      throw new UnansweredError(`instance has not answered; reason=${codeOf(cause)}`, { cause })
    })
    if (response.ok) return response
    throw new NotTakenError(`instance refused; status=${response.status}`)
  }
}
