import { Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { onAbort } from '#concurrency/or-aborted.ts'
import { codeOf } from '#observe/code-of.ts'

/** A host's addresses, the reachable family first. Throws the signal's reason, or the DNS error with its `code`. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

interface ResolveOptions {
  /** Replaces the machine's name servers. */
  readonly servers?: readonly string[]
  /** Until a query is repeated, once. */
  readonly repeatMs?: number
}

/** Asks name servers only: `dns.lookup` also reads /etc/hosts, and blocks one of a few threads after an abort. */
export function createResolveHost({ servers, repeatMs = 3_000 }: ResolveOptions = {}): ResolveHost {
  return async (hostname, signal) => {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: repeatMs, tries: 2 })
    if (servers) resolver.setServers(servers)
    using _ = onAbort(signal, () => resolver.cancel())
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    signal.throwIfAborted()
    return addressesOf(...(hasIpv4() ? ([ipv4, ipv6] as const) : ([ipv6, ipv4] as const)))
  }
}

type Answer = PromiseSettledResult<string[]>

function addressesOf(...answers: readonly Answer[]): readonly string[] {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  // "No such name" counts only if neither query failed.
  if (addresses.length === 0 && errors.length > 0) throw errors.find(isFailure) ?? errors[0]
  return addresses
}

const isFailure = (error: unknown): boolean =>
  !['ENOTFOUND', 'ENODATA', undefined].includes(codeOf(error))

const hasIpv4 = (): boolean =>
  Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.family === 'IPv4' && !address.internal)
