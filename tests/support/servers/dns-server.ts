import { createSocket, type Socket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import dnsPacket from 'dns-packet'
import { askDnsServer, type DnsType } from '#outbound/dns/ask-dns-server.ts'

/** What is known of a name; `silent`: its questions are never answered, `failing`: with a failure. */
export type DnsName = DnsRecords | 'silent' | 'failing'

interface DnsRecords {
  readonly a?: readonly string[]
  readonly cname?: string
  /** Port of another name server on this machine, which is asked in place of this one, as a resolver does for a delegated zone. */
  readonly delegatedTo?: number
  /** Values of `issue`. */
  readonly caa?: readonly string[]
  /** A value may come in several chunks. */
  readonly txt?: readonly (string | readonly (string | Buffer)[])[]
}

export interface DnsServer extends AsyncDisposable {
  /** For `Resolver.setServers`. */
  readonly address: string
  /** Questions so far, such as `A www.example`, repetitions included. */
  readonly questions: string[]
  /** To be edited: the next question is answered by it. Of any other name the server says that there is none. */
  readonly names: Map<string, DnsName>
}

/** A name server on UDP and TCP, which follows aliases as far as they go. */
export async function startDnsServer(
  names: Readonly<Record<string, DnsName>>,
  { host = '127.0.0.1' }: { host?: '127.0.0.1' | '::1' } = {},
): Promise<DnsServer> {
  const questions: string[] = []
  const known = new Map(Object.entries(names))
  const answer: Answer = async (message) => {
    const request = dnsPacket.decode(message)
    const [question] = request.questions ?? []
    if (question === undefined) return null
    const name = question.name.toLowerCase()
    questions.push(`${question.type} ${name}`)
    const delegated = known.get(name)
    if (typeof delegated === 'object' && delegated.delegatedTo !== undefined) {
      return await askOther(delegated.delegatedTo, request, question)
    }
    return answerOf(request, question, known)
  }
  const tcp = await startTcp(answer, host)
  const { port } = tcp.address() as { port: number }
  const udp = await startUdp(answer, host, port)
  return {
    address: host === '::1' ? `[::1]:${port}` : `${host}:${port}`,
    questions,
    names: known,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => udp.close(() => resolve()))
      tcp.close()
    },
  }
}

type Answer = (message: Buffer) => Promise<dnsPacket.Packet | null>

async function startTcp(answer: Answer, host: string): Promise<Server> {
  const server = createServer((connection) => {
    let received = Buffer.alloc(0)
    connection.on('data', async (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
      const packet = await answer(received.subarray(2))
      if (packet !== null) connection.end(dnsPacket.streamEncode(packet))
    })
    connection.on('error', () => connection.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return server
}

async function startUdp(answer: Answer, host: string, port: number): Promise<Socket> {
  const socket = createSocket(host === '::1' ? 'udp6' : 'udp4')
  socket.on('message', async (message, peer) => {
    const packet = await answer(message)
    if (packet === null) return
    const encoded = dnsPacket.encode(packet)
    const isWhole = encoded.length <= udpBytesMax
    socket.send(isWhole ? encoded : dnsPacket.encode(truncated(packet)), peer.port, peer.address)
  })
  await new Promise<void>((resolve) => socket.bind(port, host, resolve))
  return socket
}

/** RFC 1035 §4.2.1: what is longer has to be asked for by TCP. */
const udpBytesMax = 512

const truncated = ({ answers, ...packet }: dnsPacket.Packet): dnsPacket.Packet => ({
  ...packet,
  flags: (packet.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE,
})

/** Null: it does not answer. */
async function askOther(
  port: number,
  { id }: dnsPacket.Packet,
  { type, name }: dnsPacket.Question,
): Promise<dnsPacket.Packet | null> {
  const limit = AbortSignal.timeout(1_000)
  try {
    const question = { type: type as DnsType, name: name.toLowerCase() }
    const answer = await askDnsServer({ host: '127.0.0.1', port }, question, limit)
    return { ...answer, id: id ?? 0, type: 'response', questions: [{ type, name }] }
  } catch {
    return null
  }
}

const rcodes = { answered: 0, failure: 2, unknown: 3 }

function answerOf(
  { id }: dnsPacket.Packet,
  question: dnsPacket.Question,
  names: ReadonlyMap<string, DnsName>,
): dnsPacket.Packet | null {
  const answers: dnsPacket.Answer[] = []
  const seen = new Set<string>()
  let code = rcodes.answered
  for (let name = question.name.toLowerCase(); !seen.has(name); ) {
    seen.add(name)
    const known = names.get(name)
    if (known === 'silent') return null
    if (known === 'failing') code = rcodes.failure
    if (known === undefined) code = rcodes.unknown
    if (typeof known !== 'object') break
    answers.push(...recordsOf(name, known, question.type))
    if (known.cname === undefined || question.type === 'CNAME') break
    name = known.cname
  }
  const flags = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | code
  return { type: 'response', id: id ?? 0, flags, questions: [question], answers }
}

function recordsOf(name: string, known: DnsRecords, type: string): dnsPacket.Answer[] {
  const { a = [], caa = [], cname, txt = [] } = known
  if (cname !== undefined) return [{ type: 'CNAME', name, data: cname, ttl: 60 }]
  if (type === 'A') return a.map((data) => ({ type: 'A', name, data, ttl: 60 }))
  if (type === 'CAA') return caa.map((value) => issueRecord(name, value))
  if (type !== 'TXT') return []
  return txt.map((value) => ({ type: 'TXT', name, data: [value].flat() as Buffer[], ttl: 60 }))
}

const issueRecord = (name: string, value: string): dnsPacket.Answer => ({
  type: 'CAA',
  name,
  ttl: 60,
  data: { flags: 0, tag: 'issue', value },
})
