import { connect, isIP } from 'node:net'
import dnsPacket, { type Answer, type Packet } from 'dns-packet'
import { onAbort } from '#concurrency/or-aborted.ts'
import { decodeAnswers, decodeHead } from './decode-dns.ts'
import type { DnsServerAddress } from './dns-server-address.ts'

export type DnsType = 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'CAA' | 'NS'

export interface DnsQuestion {
  readonly type: DnsType
  readonly name: string
}

export interface DnsResponse {
  readonly flags: number
  readonly answers: Answer[]
}

/** A name server was not reached, or sent something that does not answer the query. */
export class DnsServerError extends Error {
  override readonly name = 'DnsServerError'
}

/** By UDP, then by TCP if truncated (RFC 1035 §4.2). Throws DnsServerError, and the signal's reason. */
export async function askDnsServer(
  server: DnsServerAddress,
  { type, name }: DnsQuestion,
  signal: AbortSignal,
): Promise<DnsResponse> {
  const query: Packet = {
    type: 'query',
    // A spoofed answer would have to guess this and the port.
    id: crypto.getRandomValues(new Uint16Array(1))[0] ?? 0,
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ type, name }],
  }
  const answer = await byUdp(server, query, signal)
  const isTruncated = (answer.flags & dnsPacket.TRUNCATED_RESPONSE) !== 0
  return isTruncated ? await byTcp(server, query, signal) : answer
}

async function byUdp(
  server: DnsServerAddress,
  query: Packet,
  signal: AbortSignal,
): Promise<DnsResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<DnsResponse>()
  const socket = await openSocket(server, {
    onMessage: (message) => {
      const answer = answerTo(query, message)
      if (answer !== null) resolve(answer)
    },
    onError: () => reject(new DnsServerError('socket error')),
  })
  using _ = onAbort(signal, reject)
  try {
    socket.send(dnsPacket.encode(query))
    return await promise
  } finally {
    socket.close()
  }
}

interface UdpListener {
  readonly onMessage: (message: Buffer) => void
  readonly onError: () => void
}

async function openSocket({ host, port }: DnsServerAddress, { onMessage, onError }: UdpListener) {
  try {
    return await Bun.udpSocket({
      hostname: isIP(host) === 6 ? '::' : '0.0.0.0',
      // A connected socket receives from this server only.
      connect: { hostname: host, port },
      socket: { data: (_, message) => onMessage(message), error: onError },
    })
  } catch (cause) {
    // This machine may have no route to such an address.
    throw new DnsServerError('no socket', { cause })
  }
}

async function byTcp(
  server: DnsServerAddress,
  query: Packet,
  signal: AbortSignal,
): Promise<DnsResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<DnsResponse>()
  const connection = connect(server, () => connection.write(dnsPacket.streamEncode(query)))
  using _ = onAbort(signal, reject)
  let received = Buffer.alloc(0)
  connection.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    const message = framed(received)
    if (message === null) return
    const answer = answerTo(query, message)
    if (answer === null) reject(new DnsServerError('not an answer to the question'))
    else resolve(answer)
  })
  connection.on('error', (cause) => reject(new DnsServerError('connection failed', { cause })))
  connection.on('close', () => reject(new DnsServerError('connection closed')))
  try {
    return await promise
  } finally {
    connection.destroy()
  }
}

/** RFC 1035 §4.2.2: two bytes of length (so at most 64 KiB), then the message. Null: incomplete. */
function framed(received: Buffer): Buffer | null {
  if (received.length < 2) return null
  const end = 2 + received.readUInt16BE(0)
  return received.length < end ? null : received.subarray(2, end)
}

/** Null if the message does not answer this query (RFC 5452 §9.1). */
function answerTo(query: Packet, message: Buffer): DnsResponse | null {
  try {
    const head = decodeHead(message)
    const [asked] = query.questions ?? []
    const isAnswer =
      head.isResponse &&
      head.id === query.id &&
      head.question.type === asked?.type &&
      head.question.name.toLowerCase() === asked?.name
    return isAnswer ? { flags: head.flags, answers: decodeAnswers(message, head) } : null
  } catch {
    // The library has no error class for malformed messages.
    return null
  }
}
