import { ComAtprotoSyncSubscribeRepos } from '@atcute/atproto'
import { FirehoseError, FirehoseSubscription } from '@atcute/firehose'
import { isRecordKey } from '@atcute/lexicons/syntax'
import { type Did, parseDid } from '#site/site-address.ts'
import { guardedWebSocket } from './guarded-web-socket.ts'

/** One step of the network, and the records of our collections that it touched. A hint, not a proof. */
export interface FirehoseEvent {
  readonly seq: number
  readonly touched: readonly {
    readonly did: Did
    readonly collection: string
    readonly rkey: string
  }[]
}

interface FirehoseOptions {
  readonly url: string
  /** Called for each connection: where to go on. Null: from now on. */
  readonly cursor: () => number | null
  readonly collections: ReadonlySet<string>
  readonly signal: AbortSignal
  /** Told about frames that could not be read; they are skipped. */
  readonly onProblem: (problem: string) => void
  /** The source does not know the cursor yet: it has started anew, and numbers from the beginning. */
  readonly onFutureCursor: () => void
}

const opsMax = 200

/**
 * Follows `com.atproto.sync.subscribeRepos` of a server or relay, reconnecting by itself, until the
 * signal ends it. Events of other collections come with an empty `touched`, so that the cursor moves on.
 */
export async function* followFirehose(options: FirehoseOptions): AsyncGenerator<FirehoseEvent> {
  const { signal, collections, onProblem, onFutureCursor } = options
  const subscription = new FirehoseSubscription({
    service: options.url.replace(/^http/, 'ws'),
    nsid: ComAtprotoSyncSubscribeRepos.mainSchema,
    params: () => ({ cursor: options.cursor() ?? undefined }),
    // Whole-schema validation costs more than everything else here; what is used is checked below.
    validateEvents: false,
    onError: (error) => {
      const code = error instanceof FirehoseError ? String(error.error) : 'unreadable frame'
      if (code === 'FutureCursor') onFutureCursor()
      else onProblem(code)
    },
    onConnectionClose: () => {
      if (!signal.aborted) onProblem('connection lost, trying again')
    },
    ws: { WebSocket: guardedWebSocket(() => onProblem('unreadable frame')) },
  })
  const events = subscription[Symbol.asyncIterator]()
  let wake: () => void = () => undefined
  const stop = (): void => wake()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      // The library's iterator never settles a pending `next` when it is ended from outside.
      const next = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
        wake = () => resolve({ done: true, value: undefined })
        events.next().then(resolve, reject)
      })
      if (next.done) return
      const event = eventOf(next.value, collections)
      if (event === null) onProblem('malformed event')
      else yield event
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await events.return()
  }
}

/** What `message` says about `collections`; null when it is not an event of the protocol's form. */
export function eventOf(message: unknown, collections: ReadonlySet<string>): FirehoseEvent | null {
  if (!isObject(message)) return null
  const { seq, $type, repo, ops } = message
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0) return null
  if ($type !== 'com.atproto.sync.subscribeRepos#commit') return { seq, touched: [] }
  if (typeof repo !== 'string' || !Array.isArray(ops) || ops.length > opsMax) return null
  const did = parseDid(repo)
  if (did === null) return { seq, touched: [] }
  const touched = ops.flatMap((op) => {
    const path = isObject(op) && typeof op['path'] === 'string' ? op['path'] : ''
    const [collection = '', rkey, ...rest] = path.split('/')
    const isOurs = collections.has(collection) && rest.length === 0 && isRecordKey(rkey)
    return isOurs ? [{ did, collection, rkey }] : []
  })
  return { seq, touched }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
