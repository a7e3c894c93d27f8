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
import type { DnsAnswer } from '#outbound/dns/look-up.ts'

/** The values of a name's TXT records, chunks joined. `name`: lower case. An aborted look-up has no answer. */
export type LookUpTxt = (name: string, signal?: AbortSignal) => Promise<DnsAnswer>

const prefix = 'did='

/** A handle's DID from TXT `_atproto.<handle>` (atproto handle specification). */
export class DnsHandleResolver implements HandleResolver {
  readonly #lookUpTxt: LookUpTxt

  constructor(lookUpTxt: LookUpTxt) {
    this.#lookUpTxt = lookUpTxt
  }

  async resolve(handle: Handle, { signal }: ResolveHandleOptions = {}): Promise<AtprotoDid> {
    const answer = await this.#lookUpTxt(`_atproto.${handle.toLowerCase()}`, signal)
    signal?.throwIfAborted()
    if (!answer.answered) {
      const cause = new Error(`name servers are ${answer.reason}`)
      throw new FailedHandleResolutionError(handle, { cause })
    }
    const values = answer.values.filter((value) => value.startsWith(prefix))
    const [did, another] = values.map((value) => value.slice(prefix.length))
    if (did === undefined) throw new DidNotFoundError(handle)
    if (another !== undefined) throw new AmbiguousHandleError(handle)
    if (!isAtprotoDid(did)) throw new InvalidResolvedHandleError(handle, did)
    return did
  }
}
