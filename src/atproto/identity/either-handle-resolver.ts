import {
  FailedHandleResolutionError,
  type HandleResolver,
  type ResolveHandleOptions,
} from '@atcute/identity-resolver'
import type { AtprotoDid, Handle } from '@atcute/lexicons/syntax'
import { codeOf } from '#observe/code-of.ts'

/**
 * Asks several resolvers concurrently; the first DID counts. "No DID" needs all of them: if one failed, throws its
 * FailedHandleResolutionError. A host that does not exist counts as "no DID".
 */
export class EitherHandleResolver implements HandleResolver {
  readonly #resolvers: readonly HandleResolver[]

  constructor(resolvers: readonly [HandleResolver, ...HandleResolver[]]) {
    this.#resolvers = resolvers
  }

  async resolve(handle: Handle, options: ResolveHandleOptions = {}): Promise<AtprotoDid> {
    const answered = new AbortController()
    const signals = [answered.signal, ...(options.signal ? [options.signal] : [])]
    const asking = { ...options, signal: AbortSignal.any(signals) }
    try {
      return await Promise.any(this.#resolvers.map((resolver) => resolver.resolve(handle, asking)))
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
