import { Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { codeOf } from '#observe/code-of.ts'

/**
 * Every address a host name has, as literals, those first that this machine can reach. The look-up ends
 * with the signal, and its reason is thrown; otherwise throws what the DNS says, with its `code`.
 */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

interface ResolveOptions {
  /** In place of those of the machine. */
  readonly servers?: readonly string[]
  /** Until a question is asked once more. */
  readonly repeatMs?: number
}

/**
 * Asks the machine's name servers, and nothing else: neither /etc/hosts nor other local sources of names.
 * `dns.lookup` would, and it goes on in one of a few threads, whoever waits for it.
 */
export function createResolveHost({ servers, repeatMs = 3_000 }: ResolveOptions = {}): ResolveHost {
  return async (hostname, signal) => {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: repeatMs, tries: 2 })
    if (servers) resolver.setServers(servers)
    const stop = (): void => resolver.cancel()
    signal.addEventListener('abort', stop)
    try {
      const [ipv4, ipv6] = await Promise.allSettled([
        resolver.resolve4(hostname),
        resolver.resolve6(hostname),
      ])
      signal.throwIfAborted()
      return addressesOf(...(hasIpv4() ? ([ipv4, ipv6] as const) : ([ipv6, ipv4] as const)))
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
}

type Answer = PromiseSettledResult<string[]>

function addressesOf(...answers: readonly Answer[]): readonly string[] {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  // "There is none" counts only if nobody says that it could not find out.
  if (addresses.length === 0 && errors.length > 0) throw errors.find(isFailure) ?? errors[0]
  return addresses
}

const isFailure = (error: unknown): boolean =>
  !['ENOTFOUND', 'ENODATA', undefined].includes(codeOf(error))

const hasIpv4 = (): boolean =>
  Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.family === 'IPv4' && !address.internal)
