import dnsPacket, { type Answer, type Packet } from 'dns-packet'
import { type DnsHead, decodeHead } from '#outbound/dns/decode-dns.ts'

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

/**
 * Answers a query for the zone, authoritatively, and refuses all others. Null: no query that can be answered. `values`: the strings that
 * authorities look for. An answer that is too long for UDP asks to come by TCP.
 */
export async function answerDns(
  message: Buffer,
  {
    isUdp,
    values,
    zone,
  }: {
    readonly isUdp: boolean
    readonly zone: ChallengeZone
    readonly values: () => Promise<readonly string[]>
  },
): Promise<Buffer | null> {
  const query = queryIn(message)
  if (query === null) return null
  const { question } = query
  const answer = async (): Promise<Packet> => {
    const name = question.name.toLowerCase()
    const isInside = name.endsWith(`.${zone.name}`)
    if (name !== zone.name && !isInside) return { flags: refused }
    const flags = (isInside ? noSuchName : noError) | dnsPacket.AUTHORITATIVE_ANSWER
    const answers = isInside ? [] : await recordsOf(question.type, zone, values)
    return { flags, answers, authorities: answers.length > 0 ? [] : [soaOf(zone)] }
  }
  const { flags = 0, ...sections } = await answer()
  const recursionDesired = query.flags & dnsPacket.RECURSION_DESIRED
  const packet: Packet = {
    type: 'response',
    id: query.id,
    questions: [question],
    ...sections,
    flags: flags | recursionDesired,
  }
  const encoded = dnsPacket.encode(packet)
  if (!isUdp || encoded.length <= udpBytesMax) return encoded
  const truncated = (packet.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE
  return dnsPacket.encode({ ...packet, answers: [], flags: truncated })
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

/** Of a query nothing but its question is decoded. */
function queryIn(message: Buffer): DnsHead | null {
  try {
    const head = decodeHead(message)
    const { additionals, answers, authorities } = head.counts
    const isQuery =
      !head.isResponse &&
      (head.flags & opcodeBits) === 0 &&
      answers === 0 &&
      authorities === 0 &&
      additionals <= additionalsMax
    return isQuery ? head : null
  } catch {
    // The library has no error class for malformed messages.
    return null
  }
}
