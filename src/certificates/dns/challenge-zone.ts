import dnsPacket, { type Answer } from 'dns-packet'
import { type DnsHead, decodeHead, headerBytes, responseBit } from '#outbound/dns/decode-dns.ts'

/** The zone of a domain's dns-01 challenges, which its DNS delegates to this service. */
export interface ChallengeZone {
  /** `_acme-challenge.` and the domain, in lower case. */
  readonly name: string
  /** Its only name server: a host that leads here. */
  readonly nameServer: string
}

/** Of the domain of a name or a wildcard. */
export const challengeName = (name: string): string =>
  `_acme-challenge.${name.replace(/^\*\./, '')}`

const noError = 0
const noSuchName = 3
const refused = 5
/** Without EDNS (RFC 1035 §4.2.1). */
const udpBytesMax = 512
/** Nobody should keep an answer: the next order has another value. */
const ttlSeconds = 1
const valuesMax = 16

/** A query that can be answered. */
export interface DnsQuery {
  readonly id: number
  readonly isRecursionDesired: boolean
  /** As its client wrote it, which has to find it in the answer. */
  readonly questionBytes: Buffer
  readonly type: string
  /** Whether it asks for the zone's own name, one below it, or one of somebody else's. */
  readonly place: 'zone' | 'inside' | 'elsewhere'
}

/** Null: no query, or none that can be answered. Of its records nothing but the question is decoded. */
export function parseDnsQuery(message: Buffer, zone: ChallengeZone): DnsQuery | null {
  const head = queryIn(message)
  if (head === null) return null
  const name = head.question.name.toLowerCase()
  const isInside = name.endsWith(`.${zone.name}`)
  return {
    id: head.id,
    isRecursionDesired: (head.flags & dnsPacket.RECURSION_DESIRED) !== 0,
    questionBytes: message.subarray(headerBytes, head.end),
    type: head.question.type,
    place: name === zone.name ? 'zone' : isInside ? 'inside' : 'elsewhere',
  }
}

/**
 * Answers a query for the zone, authoritatively, and refuses all others. `values`: the strings that authorities look for. An answer that is
 * too long for UDP asks to come by TCP.
 */
export async function answerDns(
  query: DnsQuery,
  {
    isUdp,
    values,
    zone,
  }: {
    readonly isUdp: boolean
    readonly zone: ChallengeZone
    readonly values: () => Promise<readonly string[]>
  },
): Promise<Buffer> {
  if (query.place === 'elsewhere') return encodeAnswer(query, refused)
  const isInside = query.place === 'inside'
  const flags = (isInside ? noSuchName : noError) | dnsPacket.AUTHORITATIVE_ANSWER
  const answers = isInside ? [] : await recordsOf(query.type, zone, values)
  const authorities = answers.length > 0 ? [] : [soaOf(zone)]
  const encoded = encodeAnswer(query, flags, answers, authorities)
  return isUdp && encoded.length > udpBytesMax ? askToComeByTcp(query) : encoded
}

/** An answer that is no longer than its query. */
export const askToComeByTcp = (query: DnsQuery): Buffer =>
  encodeAnswer(query, dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.TRUNCATED_RESPONSE)

function encodeAnswer(
  { id, isRecursionDesired, questionBytes }: DnsQuery,
  flags: number,
  answers: readonly Answer[] = [],
  authorities: readonly Answer[] = [],
): Buffer {
  const recursionDesired = isRecursionDesired ? dnsPacket.RECURSION_DESIRED : 0
  const header = [
    id,
    responseBit | flags | recursionDesired,
    1,
    answers.length,
    authorities.length,
    0,
  ]
  const records = [...answers, ...authorities].map((record) => dnsPacket.answer.encode(record))
  const words = header.flatMap((word) => [word >> 8, word & 0xff])
  return Buffer.concat([Buffer.from(words), questionBytes, ...records])
}

async function recordsOf(
  type: string,
  zone: ChallengeZone,
  values: () => Promise<readonly string[]>,
): Promise<Answer[]> {
  const { name, nameServer } = zone
  switch (type) {
    case 'TXT':
      return (await values())
        .slice(0, valuesMax)
        .map((value) => ({ type: 'TXT', name, ttl: ttlSeconds, data: [Buffer.from(value)] }))
    case 'NS':
      return [{ type: 'NS', name, ttl: ttlSeconds, data: nameServer }]
    case 'SOA':
      return [soaOf(zone)]
    default:
      return []
  }
}

const soaOf = ({ name, nameServer }: ChallengeZone): Answer => ({
  type: 'SOA',
  name,
  ttl: ttlSeconds,
  data: {
    mname: nameServer,
    rname: `hostmaster.${nameServer}`,
    serial: 1,
    refresh: 3600,
    retry: 600,
    expire: 86_400,
    minimum: ttlSeconds,
  },
})

const opcodeBits = 0x7800
/** Of EDNS and of a signature. */
const additionalsMax = 2

function queryIn(message: Buffer): DnsHead | null {
  try {
    const head = decodeHead(message)
    const { additionals, answers, authorities } = head.counts
    const isQuery =
      !head.isResponse &&
      (head.flags & opcodeBits) === 0 &&
      answers === 0 &&
      authorities === 0 &&
      additionals <= additionalsMax &&
      // Not compressed: it would lead into the header, which is another one in the answer.
      head.end - headerBytes - 4 === dnsPacket.name.encodingLength(head.question.name)
    return isQuery ? head : null
  } catch {
    // The library has no error class for malformed messages.
    return null
  }
}
