import { getServers } from 'node:dns'
import type { Answer } from 'dns-packet'
import { Semaphore, SemaphoreBusyError } from '#concurrency/semaphore.ts'
import {
  askDnsServer,
  type DnsQuestion,
  type DnsResponse,
  DnsServerError,
  type DnsType,
} from './ask-dns-server.ts'
import { type DnsServerAddress, parseDnsServerAddress } from './dns-server-address.ts'

/**
 * `values`: TXT strings (chunks joined), names, addresses, or `0 issue "ca.example"`; empty if there is no such record or no such name.
 * `silent`: no server answered; `failing`: no server could tell whether there is a record.
 */
export type DnsAnswer =
  | { readonly answered: true; readonly values: readonly string[] }
  | { readonly answered: false; readonly reason: 'silent' | 'failing' }

/** Never throws. `name`: lower case, no trailing dot. An aborted look-up is `silent`. */
export type LookUp = (type: DnsType, name: string, signal?: AbortSignal) => Promise<DnsAnswer>

interface LookUpOptions {
  /** In order of preference; empty: the machine's. */
  readonly servers: readonly DnsServerAddress[]
  /** Aborts every look-up. */
  readonly signal: AbortSignal
  readonly patienceMs?: number
}

/** For all callers together; each query is a socket. Without a permit a look-up is `silent`. */
const questions = { key: 'dns', max: 64, waitingMax: 1_000, waitMsMax: 5 * 60_000 }

const roundsMax = 2
const triesMax = 4

/**
 * Asks recursive name servers one after the other, in two rounds: ten seconds at most. Not `node:dns`: in Bun it
 * returns the chunks of one TXT record as separate records (oven-sh/bun issue 21370) and reports "no such record"
 * as "no such name".
 */
export function createLookUp({ servers, signal, patienceMs = 2_500 }: LookUpOptions): LookUp {
  const semaphore = new Semaphore(questions)
  const ask = async (question: DnsQuestion, signal: AbortSignal): Promise<DnsAnswer> => {
    const asked = servers.length > 0 ? servers : serversOfMachine()
    const tries = Array.from({ length: roundsMax }, () => asked).flat()
    let reason: 'silent' | 'failing' = 'silent'
    for (const server of tries.slice(0, triesMax)) {
      if (signal.aborted) break
      const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
      const packet = await answerOrNull(server, question, limit)
      if (packet !== null && isDefinite(packet)) {
        return { answered: true, values: valuesOf(packet, question) }
      }
      if (packet !== null) reason = 'failing'
    }
    return { answered: false, reason }
  }
  return async (type, name, callerSignal) => {
    const either = callerSignal === undefined ? signal : AbortSignal.any([signal, callerSignal])
    try {
      return await semaphore.use(() => ask({ type, name }, either), either)
    } catch (error) {
      if (!(error instanceof SemaphoreBusyError || either.aborted)) throw error
      return { answered: false, reason: 'silent' }
    }
  }
}

const serversOfMachine = (): readonly DnsServerAddress[] =>
  getServers()
    .map(parseDnsServerAddress)
    .filter((server) => server !== null)

async function answerOrNull(
  server: DnsServerAddress,
  question: DnsQuestion,
  signal: AbortSignal,
): Promise<DnsResponse | null> {
  try {
    return await askDnsServer(server, question, signal)
  } catch (error) {
    if (error instanceof DnsServerError || signal.aborted) return null
    throw error
  }
}

const noError = 0
const noSuchName = 3

/** All other codes (RFC 6895 §2.3) mean that the server could not find out. */
function isDefinite({ flags }: DnsResponse): boolean {
  const code = flags & 0xf
  return code === noError || code === noSuchName
}

/** The values of the name or, following CNAMEs, of its alias; empty for a circle of aliases. */
function valuesOf({ answers }: DnsResponse, { type, name }: DnsQuestion): string[] {
  const seen = new Set<string>()
  for (let owner: string | undefined = name; owner !== undefined && !seen.has(owner); ) {
    seen.add(owner)
    const own: Answer[] = answers.filter((answer) => nameOf(answer) === owner)
    const values = own.filter((answer) => answer.type === type).map(textOf)
    if (values.length > 0) return values
    const alias = own.find((answer) => answer.type === 'CNAME')
    owner = alias && textOf(alias)
  }
  return []
}

const nameOf = ({ name }: Answer): string => name.toLowerCase()

function textOf(answer: Answer): string {
  switch (answer.type) {
    case 'TXT':
      return Buffer.concat([answer.data].flat().map(bytesOf)).toString()
    case 'CNAME':
    case 'NS':
      return answer.data.toLowerCase()
    case 'CAA':
      return `${answer.data.flags} ${answer.data.tag} "${answer.data.value}"`
    case 'A':
    case 'AAAA':
      return answer.data
    default:
      return ''
  }
}

const bytesOf = (chunk: string | Buffer): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk) : chunk
