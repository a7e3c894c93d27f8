import type { CacheStats, Hosting, HostingMetrics } from '#api/operations.ts'
import { SyncsEndedError } from '#ingest/account-syncs.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import { errorOfThread } from '#main/process/thread-failure.ts'
import type { Log } from '#observe/log.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import type { Did } from '#site/site-address.ts'
import type { SyncAnswer } from './answer-internal.ts'

interface RemoteOptions {
  /** Where the other process answers; null: nowhere is one. */
  readonly findUrl: () => Promise<string | null>
  readonly token: string
  readonly log: Log
  readonly signal: AbortSignal
}

/** The other process is on this machine, or near. */
const answerMsMax = 2_000
/** Longer than any sync takes. */
const syncMsMax = 16 * 60_000

interface Question {
  readonly method: 'GET' | 'POST'
  readonly msMax: number
}

/** The hosting part in another process, which may be stopped. */
export class RemoteHosting implements Hosting {
  readonly #options: RemoteOptions
  /** Open pages ask every few seconds. */
  readonly #log: Log

  constructor(options: RemoteOptions) {
    this.#options = options
    this.#log = rateLimitedLog(options.log)
  }

  metrics(windowMs: number): Promise<HostingMetrics | null> {
    return this.#read(`/internal/metrics?timeWindow=${windowMs}`)
  }

  cache(): Promise<CacheStats | null> {
    return this.#read('/internal/cache')
  }

  /** As `AccountSyncs.run`. Throws SyncsEndedError when the other process cannot be reached: it may be starting again. */
  async sync(did: Did): Promise<AccountSync> {
    const path = `/internal/sync?did=${encodeURIComponent(did)}`
    const answer = await this.#ask<SyncAnswer>(path, { method: 'POST', msMax: syncMsMax })
    if (answer === null) throw new SyncsEndedError()
    if ('failure' in answer) throw errorOfThread(answer.failure)
    return answer.sync
  }

  #read<Answer>(path: string): Promise<Answer | null> {
    return this.#ask<Answer>(path, { method: 'GET', msMax: answerMsMax })
  }

  /** Null: no answer, or none that can be used. */
  async #ask<Answer>(path: string, { method, msMax }: Question): Promise<Answer | null> {
    const { findUrl, signal, token } = this.#options
    try {
      const url = await findUrl()
      if (url === null) throw new Error('no instance has the hosting part')
      const response = await fetch(new URL(path, url), {
        method,
        headers: { authorization: `Bearer ${token}` },
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(msMax)]),
      })
      if (response.ok) return (await response.json()) as Answer
      this.#log.warn('hosting process refused', { status: response.status })
    } catch (error) {
      if (!signal.aborted) this.#log.warn('hosting process not reached', { error })
    }
    return null
  }
}
