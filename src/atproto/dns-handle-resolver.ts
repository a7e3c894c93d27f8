import { resolveTxt } from 'node:dns/promises'
import { isAtprotoDid } from '@atcute/identity'
import {
  AmbiguousHandleError,
  DidNotFoundError,
  FailedHandleResolutionError,
  type HandleResolver,
  InvalidResolvedHandleError,
  type ResolveHandleOptions,
} from '@atcute/identity-resolver'
import type { AtprotoDid, Handle } from '@atcute/lexicons/syntax'
import { orAborted } from './or-aborted.ts'

const prefix = 'did='

/** A handle's DID from TXT `_atproto.<handle>`, by the system's resolvers (atproto handle specification). */
export class DnsHandleResolver implements HandleResolver {
  async resolve(handle: Handle, { signal }: ResolveHandleOptions = {}): Promise<AtprotoDid> {
    const values = await orAborted(this.#txtValues(handle), signal)
    const dids = values.filter((v) => v.startsWith(prefix)).map((v) => v.slice(prefix.length))
    const [did] = dids
    if (did === undefined) throw new DidNotFoundError(handle)
    if (dids.length > 1) throw new AmbiguousHandleError(handle)
    if (!isAtprotoDid(did)) throw new InvalidResolvedHandleError(handle, did)
    return did
  }

  async #txtValues(handle: Handle): Promise<string[]> {
    try {
      // One TXT value may come in several chunks, which belong together (RFC 7208 §3.3).
      return (await resolveTxt(`_atproto.${handle}`)).map((chunks) => chunks.join(''))
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
      if (code === 'ENOTFOUND' || code === 'ENODATA') throw new DidNotFoundError(handle)
      throw new FailedHandleResolutionError(handle, { cause })
    }
  }
}
