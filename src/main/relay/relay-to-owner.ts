import { deployIdIn } from '#api/contract/deploy-id.ts'
import { sentences } from '#api/contract/messages.ts'
import { KeyedSemaphore, SemaphoreBusyError } from '#concurrency/semaphore.ts'
import type { Answer } from '#edge/dispatch.ts'
import { isBearer } from '#http/bearer.ts'
import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database/database.ts'
import { findSeenInstance } from '#store/instances.ts'
import { findDeployPlace } from '#store/queues/deploys.ts'
import { relayTo } from './relay.ts'
import { answerRelayed, peerField } from './relayed-requests.ts'

/** INTERNAL_TOKEN, of a request that an instance relays: its own `Authorization` may be its client's. */
export const tokenField = 'sitehost-relay-token'

/** A restart takes less, and a client longer to ask again. */
const waitMsMaxDefault = 5_000
/** An instance that was not seen for so long is not asked: a machine that is gone does not even refuse a connection. */
const seenMsMax = 15_000
/** Of what may be relayed at a time, the part of one account: its clients may send their files as slowly as they like. */
const accountPart = 1 / 4

interface OwnerOptions {
  readonly db: Db
  /** This instance, by its id. */
  readonly instance: string
  readonly token: string
  /** Relayed at a time, at most: Bun bounds the requests of a process. */
  readonly relayedMax: number
  readonly log: Log
  readonly stopping: AbortSignal
  readonly waitMsMax?: number
}

/**
 * Answers as `answer` does, but for requests whose deploy has its files in the spool of another instance: that one answers them.
 * A relayed request is not relayed again: `answerRelayedHere` has no relay.
 */
export function relayToOwner(answer: Answer, options: OwnerOptions): Answer {
  const { db, instance, log, relayedMax, stopping, token } = options
  let relayed = 0
  const relay = (id: string): Answer =>
    relayTo({
      log,
      stopping,
      waitMsMax: options.waitMsMax ?? waitMsMaxDefault,
      failure: 'instance has not answered',
      unreached: restarting,
      // What is relayed may be sent twice: files, commits and removals.
      unanswered: restarting,
      async placeOf({ url }) {
        const owner = await findSeenInstance(db, id, seenMsMax)
        if (owner === null) return null
        const { host, pathname, search } = new URL(url)
        return {
          url: `${owner.address}${pathname}${search}`,
          headers: { host, [tokenField]: `Bearer ${token}` },
        }
      },
    })
  const ofAccount = new KeyedSemaphore({
    max: Math.ceil(relayedMax * accountPart),
    waitingMax: 0,
  })
  return async (request, server) => {
    const deployId = deployIdIn(request)
    // Where the database is away, the application says so.
    const place = deployId && (await findDeployPlace(db, deployId).catch(() => null))
    if (!place || place.instance === instance || place.instance === '') {
      return await answer(request, server)
    }
    if (relayed >= relayedMax) return restarting()
    relayed++
    try {
      using _ = await ofAccount.acquire(place.did)
      return await relay(place.instance)(request, server)
    } catch (error) {
      if (error instanceof SemaphoreBusyError) return restarting()
      throw error
    } finally {
      relayed--
    }
  }
}

const restarting = (): Response =>
  Response.json(
    { error: sentences.restarting },
    { status: 503, headers: { 'cache-control': 'no-store', 'retry-after': '10' } },
  )

/** The answer to a request that another instance has relayed; null: none has. */
export function answerRelayedHere(
  request: Request,
  server: Bun.Server<undefined>,
  { answer, token }: { readonly answer: Answer; readonly token: string },
): Promise<Response> | null {
  if (!request.headers.has(tokenField)) return null
  if (!isBearer(request.headers.get(tokenField), token)) {
    return Promise.resolve(Response.json({ error: 'Unauthorized' }, { status: 401 }))
  }
  request.headers.delete(tokenField)
  return answerRelayed(request, server, (relayed, connections) => {
    relayed.headers.delete(peerField)
    return answer(relayed, connections)
  })
}
