import { Worker } from 'node:worker_threads'
import type { Identities } from '#atproto/identity/identity.ts'
import { SyncsEndedError } from '#ingest/account-syncs.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import type { Config } from '#main/config/config.ts'
import { errorOfThread } from '#main/process/thread-failure.ts'
import type { Did } from '#site/site-address.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { ingestSettings } from './ingest-plane.ts'
import type { FromIngest, ToIngest } from './ingest-thread.ts'

/** What reads the network, in a thread of its own. */
export interface IngestThread extends AsyncDisposable {
  /** Resolves when it follows the network, where that can be reached; rejects as `background` does. */
  readonly started: Promise<void>
  /** Resolves when it has ended after the signal; rejects when it fails. */
  readonly background: Promise<void>
  /** What `AccountSyncs` does. */
  sync(did: Did): Promise<AccountSync>
}

interface StartOptions {
  readonly config: Config
  /** Those about the queues are passed on to the thread, those about what visitors see come from it. */
  readonly wakeUps: WakeUps
  readonly identities: Pick<Identities, 'forget'>
  readonly signal: AbortSignal
}

/** The database must be up to date. */
export function startIngest({ config, wakeUps, identities, signal }: StartOptions): IngestThread {
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const syncs = new Syncs()
  const worker = new Worker(new URL('./ingest-thread.ts', import.meta.url), {
    workerData: ingestSettings(config),
  })
  const tell = (message: ToIngest): void => worker.postMessage(message)
  worker.on('message', (message: FromIngest) => {
    switch (message.kind) {
      case 'started':
        return started.resolve()
      case 'hint':
        return wakeUps.notify(message.topic)
      case 'identity-changed':
        return identities.forget(message.did)
      case 'synced':
      case 'not-synced':
        return syncs.settle(message)
      case 'failed':
        // The class of a database error tells an operator what to do.
        if (message.failure.kind === 'database') ended.reject(errorOfThread(message.failure))
        return
      case 'ended':
        return ended.resolve()
    }
  })
  worker.on('error', (cause) => ended.reject(new Error('ingest thread failed', { cause })))
  worker.on('exit', () => ended.reject(new Error('ingest thread ended')))
  const forwarding = wakeUps.forward(['account', 'site'], (topic) => tell({ kind: 'hint', topic }))
  const stop = (): void => tell({ kind: 'stop' })
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  ended.promise.then(started.resolve, started.reject)
  const background = ended.promise.finally(() => syncs.end())
  // Callers that await these get the rejection; a service whose start fails elsewhere awaits neither.
  for (const told of [started.promise, background]) told.catch(() => undefined)
  return {
    started: started.promise,
    background,
    sync: (did) => syncs.begin((id) => tell({ kind: 'sync', id, did })),
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', stop)
      forwarding[Symbol.dispose]()
      await worker.terminate()
    },
  }
}

/** Requests that the thread has not answered yet. */
class Syncs {
  readonly #waiting = new Map<number, PromiseWithResolvers<AccountSync>>()
  #lastId = 0
  #haveEnded = false

  begin(ask: (id: number) => void): Promise<AccountSync> {
    if (this.#haveEnded) return Promise.reject(new SyncsEndedError())
    const id = ++this.#lastId
    const waiting = Promise.withResolvers<AccountSync>()
    this.#waiting.set(id, waiting)
    ask(id)
    return waiting.promise
  }

  settle(answer: FromIngest & { kind: 'synced' | 'not-synced' }): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (answer.kind === 'synced') waiting?.resolve(answer.sync)
    else waiting?.reject(errorOfThread(answer.failure))
  }

  end(): void {
    this.#haveEnded = true
    for (const { reject } of this.#waiting.values()) reject(new SyncsEndedError())
    this.#waiting.clear()
  }
}
