import { describe, expect, test } from 'bun:test'
import {
  DidNotFoundError,
  FailedHandleResolutionError,
  type HandleResolver,
  InvalidResolvedHandleError,
} from '@atcute/identity-resolver'
import type { AtprotoDid } from '@atcute/lexicons/syntax'
import { EitherHandleResolver } from './either-handle-resolver.ts'

const handle = 'alice.example'
const did: AtprotoDid = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const none = new DidNotFoundError(handle)
const invalid = new InvalidResolvedHandleError(handle, '<html>')
const failed = new FailedHandleResolutionError(handle, { cause: new Error('away') })
const unknownHost = new FailedHandleResolutionError(handle, {
  cause: Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }),
})

type Answer = AtprotoDid | Error
const way = (answer: Answer, isSlow: boolean): HandleResolver => ({
  async resolve() {
    if (isSlow) await Bun.sleep(1)
    if (answer instanceof Error) throw answer
    return answer
  },
})

describe('the answers of DNS and web, and the result', () => {
  const facts: [string, Answer, Answer, Answer][] = [
    ['one has it, the other not', did, none, did],
    ['one has it, the other is away', failed, did, did],
    ['both say none', none, none, none],
    ['one says none, the other nonsense', none, invalid, none],
    ['one says none, the other is away', none, failed, failed],
    ['one says nonsense, the other is away', failed, invalid, failed],
    ['one says none, the other has no host', none, unknownHost, none],
  ]
  for (const [what, dns, web, answer] of facts) {
    for (const slow of ['dns', 'web']) {
      test(`${what}, ${slow} later`, async () => {
        const ways = [way(dns, slow === 'dns'), way(web, slow === 'web')] as const
        const resolving = new EitherHandleResolver(ways).resolve(handle)
        expect(await resolving.catch((error: Error) => error)).toBe(answer)
      })
    }
  }
})
