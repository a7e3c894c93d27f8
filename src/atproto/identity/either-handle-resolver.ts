import {
  FailedHandleResolutionError,
  type HandleResolver,
  type ResolveHandleOptions,
} from '@atcute/identity-resolver'
import type { AtprotoDid, Handle } from '@atcute/lexicons/syntax'
import { codeOf } from '#observe/code-of.ts'

/**
 * Asks several ways at once; the first DID counts. "There is none" needs all of them to say so: when one
 * could not be asked, its FailedHandleResolutionError is thrown. A host that does not exist says none.
 */
export class EitherHandleResolver implements HandleResolver {
  readonly #ways: readonly HandleResolver[]

  constructor(ways: readonly [HandleResolver, ...HandleResolver[]]) {
    this.#ways = ways
  }

  async resolve(handle: Handle, options: ResolveHandleOptions = {}): Promise<AtprotoDid> {
    const answered = new AbortController()
    const signals = [answered.signal, ...(options.signal ? [options.signal] : [])]
    const asking = { ...options, signal: AbortSignal.any(signals) }
    try {
      return await Promise.any(this.#ways.map((way) => way.resolve(handle, asking)))
    } catch (error) {
      const { errors } = error as AggregateError
      throw errors.find(isFailure) ?? errors[0]
    } finally {
      answered.abort()
    }
  }
}

const isFailure = (error: unknown): boolean =>
  error instanceof FailedHandleResolutionError && !isUnknownHost(error.cause)

const isUnknownHost = (error: unknown): boolean => codeOf(error) === 'ENOTFOUND'
