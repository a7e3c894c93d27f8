import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { backoff } from '#concurrency/backoff.ts'
import { withTimeout } from '#concurrency/or-aborted.ts'
import { WakeUp } from '#concurrency/wake-up.ts'
import type { Log } from '#observe/log.ts'
import {
  parseWakeUp,
  type WakeUps,
  type WakeUpTopic,
  wakeUpChannel,
  wakeUpText,
  wakeUpTopics,
} from './wake-ups.ts'

/** Wake-ups of this time go together: at most 20 statements a second. */
const collectMs = 50
/** Beyond this number, the further ones of a topic become one, about any row. */
export const collectedMax = 1000
/** A connection that broke silently is noticed after this time, and that of an answer. */
const checkEveryMsDefault = 10_000
const answerMsMax = 5_000
const endMsMax = 1_000
const pauseMs = backoff({ min: 500, max: 15_000, jitter: 0.5 })

interface ShareOptions {
  readonly url: string
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly signal: AbortSignal
  readonly checkEveryMs?: number
}

/**
 * Exchanges wake-ups with the other processes on this PostgreSQL (LISTEN, NOTIFY), over a connection of its own, until the signal
 * aborts. While it is connected, `wakeUps.areShared`: subscribers may poll rarely. After each new connection all topics are
 * woken. Changes notify from their own transaction (a trigger), those of commands too.
 */
export async function shareWakeUps(options: ShareOptions): Promise<void> {
  const { wakeUps, log, signal, checkEveryMs = checkEveryMsDefault } = options
  let failures = 0
  while (!signal.aborted) {
    const startedAt = performance.now()
    try {
      await exchange({ ...options, checkEveryMs }).finally(() => wakeUps.share(false))
    } catch (error) {
      if (signal.aborted) return
      if (performance.now() - startedAt > checkEveryMs) failures = 0
      // The subscribers poll meanwhile.
      if (failures === 0) log.warn('wake-ups are not shared', { error })
      await setTimeout(pauseMs(failures++), undefined, { signal }).catch(() => undefined)
    }
  }
}

/** Until the connection fails, which throws, or the signal aborts. */
async function exchange({
  checkEveryMs,
  signal,
  url,
  wakeUps,
}: Required<ShareOptions>): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: answerMsMax,
    query_timeout: answerMsMax,
    keepAlive: true,
    application_name: 'sitehost wake-ups',
  })
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  client.on('error', failed.reject)
  client.on('end', () => failed.reject(new Error('connection ended')))
  using stack = new DisposableStack()
  try {
    await client.connect()
    await client.query(`listen ${wakeUpChannel}`)
    const outgoing = new Outgoing(client, failed.reject)
    const ownId = Reflect.get(client, 'processID') as number
    const from = stack.use(
      wakeUps.forward(
        sharedTopics,
        (topic, about) => outgoing.add(topic, about),
        (topic) => outgoing.delete(topic),
      ),
    )
    client.on('notification', ({ payload = '', processId }) => {
      const wakeUp = processId === ownId ? null : parseWakeUp(payload)
      if (wakeUp !== null) wakeUps.notify(wakeUp.topic, { ...wakeUp, from })
    })
    wakeUps.share(true)
    // What was missed before.
    for (const topic of wakeUpTopics) wakeUps.notify(topic, { from })
    await Promise.race([checkAgain(outgoing, checkEveryMs, signal), failed.promise])
  } finally {
    client.removeAllListeners('notification')
    // One that broke silently never ends.
    await withTimeout(client.end(), endMsMax, () => undefined).catch(() => undefined)
  }
}

/** All but those of changes, of which a trigger notifies. */
const sharedTopics = wakeUpTopics.filter((topic) => topic !== 'changes')

async function checkAgain(outgoing: Outgoing, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await new WakeUp().wait(everyMs, signal)
    if (!signal.aborted) await outgoing.send()
  }
}

/** Wake-ups for the others, sent a few times a second at most. */
class Outgoing {
  readonly #client: pg.Client
  readonly #onError: (error: unknown) => void
  readonly #texts = new Set<string>()
  #timer: ReturnType<typeof globalThis.setTimeout> | undefined
  #sending = Promise.resolve()

  constructor(client: pg.Client, onError: (error: unknown) => void) {
    this.#client = client
    this.#onError = onError
  }

  add(topic: WakeUpTopic, about?: string): void {
    this.#texts.add(this.#texts.size < collectedMax ? wakeUpText(topic, about) : topic)
    this.#timer ??= globalThis.setTimeout(() => {
      this.#timer = undefined
      if (this.#texts.size > 0) this.send().catch(this.#onError)
    }, collectMs)
  }

  /** Those about no row, unless they have been sent. */
  delete(topic: WakeUpTopic): void {
    this.#texts.delete(topic)
  }

  /** Also without wake-ups, which shows whether the connection works. */
  async send(): Promise<void> {
    const send = async (): Promise<void> => {
      const texts = [...this.#texts]
      this.#texts.clear()
      // A lost wake-up costs the time until the next poll.
      const notify = 'select pg_notify($1, text) from unnest($2::text[]) text'
      await this.#client.query(notify, [wakeUpChannel, texts])
    }
    // One statement at a time.
    this.#sending = this.#sending.then(send)
    await this.#sending
  }
}
