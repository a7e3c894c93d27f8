// The thread in which ingest runs, so that no visitor waits for its work; started by `start-ingest.ts`.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { AccountSyncs } from '#ingest/account-syncs.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import { LogQueue } from '#observe/log-queue.ts'
import { Tally } from '#observe/tally.ts'
import type { Did } from '#site/site-address.ts'
import { linkWakeUps, type WakeUpMessage } from '#store/database/link-wake-ups.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { storeLog } from '#store/log/store-log.ts'
import type { ChangedIdentities } from './follow-identities.ts'
import { type IngestSettings, startIngestPlane } from './ingest-plane.ts'
import { IngestMeter, type IngestNumbers } from './metrics/ingest-numbers.ts'
import { openSpans } from './process/open-spans.ts'
import { startProcessLog } from './process/process-log.ts'
import { setSchedulerSlice } from './process/scheduler-slice.ts'
import { type ThreadFailure, threadFailureOf } from './process/thread-failure.ts'
import { openDuties } from './service/open-duties.ts'
import { openStores } from './service/stores.ts'

export type ToIngest =
  | WakeUpMessage
  | { readonly kind: 'identities-changed'; readonly changed: ChangedIdentities }
  | { readonly kind: 'sharing'; readonly areShared: boolean }
  | { readonly kind: 'sync'; readonly id: number; readonly did: Did }
  | { readonly kind: 'stop' }

/** `started` is the first message and `ended` the last; `failed` precedes the error that ends the thread. */
export type FromIngest =
  | { readonly kind: 'started' }
  | WakeUpMessage
  | { readonly kind: 'identity-changed'; readonly did: Did }
  | { readonly kind: 'synced'; readonly id: number; readonly sync: AccountSync }
  | { readonly kind: 'not-synced'; readonly id: number; readonly failure: ThreadFailure }
  | { readonly kind: 'numbers'; readonly numbers: IngestNumbers }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure }
  | { readonly kind: 'ended' }

async function runThread(port: MessagePort, settings: IngestSettings): Promise<void> {
  const send = (message: FromIngest): void => port.postMessage(message)
  const stop = new AbortController()
  const wakeUps = new WakeUps()
  const link = linkWakeUps(
    wakeUps,
    ['changes', 'certificates', 'account', 'site', 'version', 'ingested'],
    send,
  )
  const plane = Promise.withResolvers<ReturnType<typeof startIngestPlane>>()
  port.on('message', (message: ToIngest) => {
    switch (message.kind) {
      case 'wake-up':
      case 'settled':
        return link.receive(message)
      case 'identities-changed':
        return void plane.promise.then(({ forget }) => forget(message.changed))
      case 'sharing':
        return wakeUps.share(message.areShared)
      case 'sync':
        return void answerSync(message, plane.promise).then(send)
      case 'stop':
        return stop.abort()
    }
  })
  try {
    await using opened = new AsyncDisposableStack()
    const events = new Tally<string>()
    const queue = new LogQueue()
    const log = opened.use(
      await startProcessLog(settings, {
        service: 'hosting-service',
        onEntry: queue.add,
        onEvent: (event) => events.add(event),
      }),
    )
    const stores = await openStores({ config: settings, log }, opened)
    const { signal } = stop
    const { blobRequests, db, database } = stores
    opened.use(storeLog({ db, queue, log }))
    const meter = opened.use(
      new IngestMeter({ blobRequests, db, events, load: database.load, now: Date.now }),
    )
    const started = startIngestPlane({
      ...stores,
      duties: openDuties({ config: settings, log, signal, wakeUps }, opened),
      settings,
      log,
      meter,
      spans: await openSpans({ config: settings, part: 'hosting-service', log }, opened),
      wakeUps,
      signal,
      onIdentityChanged: (did) => send({ kind: 'identity-changed', did }),
    })
    plane.resolve(started)
    send({ kind: 'started' })
    const metering = meter.run((numbers) => send({ kind: 'numbers', numbers }), { log, signal })
    await Promise.all([started.background, metering])
  } catch (error) {
    send({ kind: 'failed', failure: threadFailureOf(error) })
    throw error
  }
  send({ kind: 'ended' })
  port.close()
}

async function answerSync(
  { id, did }: ToIngest & { kind: 'sync' },
  plane: Promise<{ readonly syncs: AccountSyncs }>,
): Promise<FromIngest> {
  try {
    return { kind: 'synced', id, sync: await (await plane).syncs.run(did) }
  } catch (error) {
    return { kind: 'not-synced', id, failure: threadFailureOf(error) }
  }
}

if (parentPort === null) throw new Error('ingest-thread.ts runs only as a worker')
// Threads that answer visitors have a shorter slice, and thus priority.
setSchedulerSlice('usual')
// Not awaited: see program.ts.
void runThread(parentPort, workerData as IngestSettings)
