import { Worker } from 'node:worker_threads'
import type { Identities } from '#atproto/identity/identity.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import { SyncsEndedError } from '#ingest/account-syncs.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import type { Did } from '#site/site-address.ts'
import { linkWakeUps } from '#store/database/link-wake-ups.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import type { Config } from './config/config.ts'
import type { ChangedIdentities } from './follow-identities.ts'
import { ingestSettings } from './ingest-plane.ts'
import type { FromIngest, ToIngest } from './ingest-thread.ts'
import type { IngestNumbers } from './metrics/ingest-numbers.ts'
import { errorOfThread } from './process/thread-failure.ts'

/** The ingest plane, in a thread of its own. */
export interface IngestThread extends AsyncDisposable {
  /** Resolves when it follows the firehose, as far as that is reachable; rejects as `background` does. */
  readonly started: Promise<void>
  /** Resolves when the thread has ended after the signal; rejects when it fails. */
  readonly background: Promise<void>
  /** As the thread sent them, at most a second ago; null until it has started. */
  readonly numbers: IngestNumbers | null
  /** `AccountSyncs.run`, in the thread. */
  sync(did: Did): Promise<AccountSync>
  /** Drops what the thread has cached of these accounts. */
  forget(changed: ChangedIdentities): void
}

interface StartOptions {
  readonly config: Config
  readonly secrets: readonly [string, ...string[]]
  /** Wake-ups of the queues are forwarded to the thread; those of changes come from it. */
  readonly wakeUps: WakeUps
  readonly identities: Pick<Identities, 'forget'>
  readonly signal: AbortSignal
}

/** Starts the thread; the database must be migrated. */
export function startIngest({
  config,
  secrets,
  wakeUps,
  identities,
  signal,
}: StartOptions): IngestThread {
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const syncs = new Syncs()
  let numbers: IngestNumbers | null = null
  const worker = new Worker(new URL('./ingest-thread.ts', import.meta.url), {
    workerData: ingestSettings(config, secrets),
  })
  const send = (message: ToIngest): void => worker.postMessage(message)
  const link = linkWakeUps(
    wakeUps,
    ['account', 'site', 'version', 'certificates-wanted', 'duties'],
    send,
  )
  const sharing = wakeUps.onSharing((areShared) => send({ kind: 'sharing', areShared }))
  worker.on('message', (message: FromIngest) => {
    switch (message.kind) {
      case 'started':
        return started.resolve()
      case 'wake-up':
      case 'settled':
        return link.receive(message)
      case 'identity-changed':
        return identities.forget(message.did)
      case 'synced':
      case 'not-synced':
        return syncs.settle(message)
      case 'numbers':
        numbers = message.numbers
        return
      case 'failed':
        // `startFailureSentence` knows database errors by their class.
        if (message.failure.kind === 'database') ended.reject(errorOfThread(message.failure))
        return
      case 'ended':
        return ended.resolve()
    }
  })
  worker.on('error', (cause) => ended.reject(new Error('ingest thread failed', { cause })))
  worker.on('exit', () => ended.reject(new Error('ingest thread ended')))
  const stopping = onAbort(signal, () => send({ kind: 'stop' }))
  ended.promise.then(started.resolve, started.reject)
  const background = ended.promise.finally(() => syncs.end())
  // Callers that await these get the rejection; a service whose start fails elsewhere awaits neither.
  for (const promise of [started.promise, background]) promise.catch(() => undefined)
  return {
    started: started.promise,
    background,
    get numbers() {
      return numbers
    },
    forget: (changed) => send({ kind: 'identities-changed', changed }),
    sync: (did) => syncs.begin((id) => send({ kind: 'sync', id, did })),
    async [Symbol.asyncDispose]() {
      stopping[Symbol.dispose]()
      link[Symbol.dispose]()
      sharing[Symbol.dispose]()
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
