import { FirehoseStatus } from '#atproto/firehose/firehose-status.ts'
import type { S3Count } from '#blobs/s3-client.ts'
import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import { type EventLoopDelay, EventLoopMonitor } from '#observe/event-loop-delay.ts'
import type { Log } from '#observe/log.ts'
import { type Counts, Tally } from '#observe/tally.ts'
import type { FetchOutcome } from '#outbound/safe-fetch.ts'
import type { DatabaseLoad, Db } from '#store/database/database.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { type QueueSize, queueSizes } from '#store/queues/queue-sizes.ts'

/** What the ingest thread counts and measures, as plain data for the thread that is scraped. */
export interface IngestNumbers {
  readonly firehose: Readonly<
    Pick<FirehoseStatus, 'isConnected' | 'isElsewhere' | 'latestAt' | 'problems' | 'steps'>
  > & {
    /** `FirehoseStatus.lagMs`. */
    readonly lagMs: number
  }
  /** Null: not read yet. */
  readonly queues: Readonly<Record<WorkKind, QueueSize>> | null
  readonly fetches: Readonly<Record<'sites' | 'accounts', Counts<FetchOutcome>>>
  /** Of the log (`recordEvent`). */
  readonly events: Counts
  readonly eventLoop: EventLoopDelay
  readonly database: DatabaseLoad
  /** Requests to a bucket; null: blobs are in the data folder. */
  readonly blobRequests: Counts<S3Count> | null
}

interface IngestMeterOptions {
  readonly db: Db
  readonly events: Tally<string>
  readonly load: () => DatabaseLoad
  readonly blobRequests: Tally<S3Count> | null
  readonly now: () => number
}

const sendEveryMs = 1_000
const readQueuesEveryMs = 15_000

/** Counts in the ingest thread. */
export class IngestMeter implements Disposable {
  readonly firehose = new FirehoseStatus()
  readonly fetches = { sites: new Tally<FetchOutcome>(), accounts: new Tally<FetchOutcome>() }
  readonly #options: IngestMeterOptions
  readonly #eventLoop = new EventLoopMonitor()
  #queues: IngestNumbers['queues'] = null

  constructor(options: IngestMeterOptions) {
    this.#options = options
  }

  /** Sends the numbers once a second, until the signal is aborted. */
  async run(
    send: (numbers: IngestNumbers) => void,
    context: { readonly log: Log; readonly signal: AbortSignal },
  ): Promise<void> {
    const failures = {
      queues: 'queue sizes not read',
      send: 'numbers of ingest not sent',
    }
    const readQueues = async (): Promise<void> => {
      this.#queues = await queueSizes(this.#options.db, this.#options.now())
    }
    await Promise.all([
      repeatEvery({ everyMs: readQueuesEveryMs, failure: failures.queues }, readQueues, context),
      repeatEvery(
        { everyMs: sendEveryMs, failure: failures.send },
        async () => send(this.#numbers()),
        context,
      ),
    ])
  }

  #numbers(): IngestNumbers {
    const { firehose, fetches } = this
    const { accounts, sites } = fetches
    const { isConnected, isElsewhere, latestAt, problems, steps } = firehose
    const { blobRequests, events, load, now } = this.#options
    return {
      firehose: {
        ...{ isConnected, isElsewhere, latestAt, problems, steps },
        lagMs: firehose.lagMs(now()),
      },
      queues: this.#queues,
      fetches: { sites: sites.counts, accounts: accounts.counts },
      events: events.counts,
      eventLoop: this.#eventLoop.read(),
      database: load(),
      blobRequests: blobRequests?.counts ?? null,
    }
  }

  [Symbol.dispose](): void {
    this.#eventLoop[Symbol.dispose]()
  }
}
