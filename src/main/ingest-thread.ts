// The thread in which ingest runs: nothing that it reads, verifies or writes keeps a visitor waiting. Begun by
// `start-ingest.ts`, whose settings it gets and whose messages it follows.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { AccountSyncs } from '#ingest/account-syncs.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import { setSchedulerSlice } from '#main/process/scheduler-slice.ts'
import { type ThreadFailure, threadFailureOf } from '#main/process/thread-failure.ts'
import { startLog } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import { WakeUps, type WakeUpTopic } from '#store/database/wake-ups.ts'
import { type IngestSettings, startIngestPlane } from './ingest-plane.ts'
import { openStores } from './stores.ts'

export type ToIngest =
  | { readonly kind: 'hint'; readonly topic: WakeUpTopic }
  | { readonly kind: 'sync'; readonly id: number; readonly did: Did }
  | { readonly kind: 'stop' }

/** `started` comes first, nothing after `ended`; `failed` before the error that ends the thread. */
export type FromIngest =
  | { readonly kind: 'started' }
  | { readonly kind: 'hint'; readonly topic: WakeUpTopic }
  | { readonly kind: 'identity-changed'; readonly did: Did }
  | { readonly kind: 'synced'; readonly id: number; readonly sync: AccountSync }
  | { readonly kind: 'not-synced'; readonly id: number; readonly failure: ThreadFailure }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure }
  | { readonly kind: 'ended' }

async function runThread(port: MessagePort, settings: IngestSettings): Promise<void> {
  const tell = (message: FromIngest): void => port.postMessage(message)
  const stop = new AbortController()
  const wakeUps = new WakeUps()
  wakeUps.forward(['changes'], (topic) => tell({ kind: 'hint', topic }))
  const syncs = Promise.withResolvers<AccountSyncs>()
  port.on('message', (message: ToIngest) => {
    switch (message.kind) {
      case 'hint':
        return wakeUps.notify(message.topic)
      case 'sync':
        return void answerSync(message, syncs.promise).then(tell)
      case 'stop':
        return stop.abort()
    }
  })
  const onIdentityChanged = (did: Did): void => tell({ kind: 'identity-changed', did })
  const onStarted = (started: AccountSyncs): void => {
    syncs.resolve(started)
    tell({ kind: 'started' })
  }
  try {
    await runPlane({ settings, wakeUps, signal: stop.signal, onIdentityChanged }, onStarted)
  } catch (error) {
    tell({ kind: 'failed', failure: threadFailureOf(error) })
    throw error
  }
  tell({ kind: 'ended' })
  port.close()
}

interface PlaneOptions {
  readonly settings: IngestSettings
  readonly wakeUps: WakeUps
  readonly signal: AbortSignal
  readonly onIdentityChanged: (did: Did) => void
}

async function runPlane(
  { settings, ...options }: PlaneOptions,
  onStarted: (syncs: AccountSyncs) => void,
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const log = opened.use(await startLog((line) => process.stderr.write(line), settings.logLevel))
  const stores = await openStores({ config: settings, log }, opened)
  const plane = startIngestPlane({ ...stores, ...options, settings, log })
  onStarted(plane.syncs)
  await plane.background
}

async function answerSync(
  { id, did }: ToIngest & { kind: 'sync' },
  syncs: Promise<AccountSyncs>,
): Promise<FromIngest> {
  try {
    return { kind: 'synced', id, sync: await (await syncs).run(did) }
  } catch (error) {
    return { kind: 'not-synced', id, failure: threadFailureOf(error) }
  }
}

if (parentPort === null) throw new Error('not a program of its own')
// Lower priority than threads that answer visitors, whose slice is short.
setSchedulerSlice('usual')
await runThread(parentPort, workerData as IngestSettings)
