import dnsPacket, { type Answer, type Question } from 'dns-packet'

declare module 'dns-packet' {
  interface Decoder<T> {
    decode(message: Buffer, offset: number): T
  }
  export const question: Decoder<Question> & { readonly decode: { readonly bytes: number } }
  export const name: Decoder<string> & {
    readonly decode: { readonly bytes: number }
    encodingLength(name: string): number
  }
  export const answer: Decoder<Answer> & { encode(record: Answer): Buffer }
}

export interface DnsHead {
  readonly id: number
  readonly isResponse: boolean
  /** Without the bit of a response. */
  readonly flags: number
  readonly question: Question
  /** Where the question ends. */
  readonly end: number
  /** Records in the sections, as the sender says: not necessarily as many as fit. */
  readonly counts: {
    readonly answers: number
    readonly authorities: number
    readonly additionals: number
  }
}

export const headerBytes = 12
export const responseBit = 0x8000

/**
 * The header and the only question. Throws for anything else.
 *
 * Nothing here calls `dnsPacket.decode`: it believes the counts of the header, and after a record that is cut off it can continue from
 * the message's first byte, so that 509 bytes cost it gigabytes.
 */
export function decodeHead(message: Buffer): DnsHead {
  const word = (at: number) => message.readUInt16BE(at)
  if (word(4) !== 1) throw new RangeError('not one question')
  const question = dnsPacket.question.decode(message, headerBytes)
  return {
    id: word(0),
    isResponse: (word(2) & responseBit) !== 0,
    flags: word(2) & ~responseBit,
    question,
    end: headerBytes + dnsPacket.question.decode.bytes,
    counts: {
      answers: word(6),
      authorities: word(8),
      additionals: word(10),
    },
  }
}

/** Type, class, TTL and length of the data (RFC 1035 §4.1.3). */
const fieldsBytes = 10

/** A, NS, CNAME, TXT, AAAA, CAA: what anybody here asks for. */
const decodedTypes: ReadonlySet<number> = new Set([1, 2, 5, 16, 28, 257])

/** The answer section without records of other types. Throws if it is malformed or cut off. */
export function decodeAnswers(message: Buffer, { counts, end }: DnsHead): Answer[] {
  // Each has at least the root's name.
  if (counts.answers * (fieldsBytes + 1) > message.length - end) throw new RangeError('cut off')
  const answers: Answer[] = []
  let start = end
  for (let n = 0; n < counts.answers; n++) {
    dnsPacket.name.decode(message, start)
    const data = start + dnsPacket.name.decode.bytes + fieldsBytes
    const next = data + message.readUInt16BE(data - 2)
    if (next > message.length) throw new RangeError('cut off')
    if (decodedTypes.has(message.readUInt16BE(data - fieldsBytes))) {
      // Cut here, so that no decoder reads what follows; where it believes to have ended does not matter.
      answers.push(dnsPacket.answer.decode(message.subarray(0, next), start))
    }
    start = next
  }
  return answers
}
