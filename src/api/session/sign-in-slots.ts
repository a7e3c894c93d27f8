import type { Context } from 'hono'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext, ApiEnv } from '#api/context.ts'
import {
  limitWindowMs,
  rateLimits,
  signInsBeginningMax,
  signInsCompletingMax,
} from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { clientNetworkOf } from '#http/client-address.ts'

const ofNetworkMax = 3
/** A class that signs in at the same moment. */
const ofNetworkWaitingMax = 40
const waitingMax = 500
const waitMsMaxDefault = 10_000

type SignInStep = 'begin' | 'complete'

interface SlotsOptions extends Pick<ApiContext, 'elapsed' | 'trustedProxies'> {
  readonly waitMsMax?: number
}

/**
 * Semaphores for sign-ins, which ask servers that strangers name: a few of a network, and of all. A freed permit goes to
 * the network with the fewest recent sign-ins, so that many networks that sign in all the time delay others little.
 */
export class SignInSlots {
  readonly #options: SlotsOptions
  readonly #ofNetwork: ConcurrencyLimit
  readonly #ofAll: Readonly<Record<SignInStep, ConcurrencyLimit>>
  readonly #recent: RateLimiter

  constructor(options: SlotsOptions) {
    const { elapsed: now, waitMsMax = waitMsMaxDefault } = options
    const busy = { waitMsMax, sentence: sentences.signInsBusy, retryAfterSeconds: 10 }
    this.#options = options
    this.#ofNetwork = new ConcurrencyLimit({
      ...busy,
      max: ofNetworkMax,
      waitingMax: ofNetworkWaitingMax,
    })
    const ofAll = (max: number) => new ConcurrencyLimit({ ...busy, max, waitingMax })
    this.#ofAll = { begin: ofAll(signInsBeginningMax), complete: ofAll(signInsCompletingMax) }
    this.#recent = new RateLimiter(
      { count: rateLimits.signIn.perClient, windowMs: limitWindowMs },
      { now },
    )
  }

  /** Runs `work` with a permit. Throws ApiError 429, and what `work` throws. */
  async use<T>(step: SignInStep, c: Context<ApiEnv>, work: () => Promise<T>): Promise<T> {
    const { signal } = c.req.raw
    const network = clientNetworkOf(c.req.raw, c.env?.server, this.#options.trustedProxies)
    using slots = new DisposableStack()
    slots.use(await this.#ofNetwork.acquire(`${step} ${network}`, signal))
    const rank = () => this.#recent.spentMs(network)
    slots.use(await this.#ofAll[step].acquire('all', signal, rank))
    this.#recent.take(network)
    return await work()
  }
}
