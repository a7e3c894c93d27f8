import type { Socket } from 'node:net'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { listenTcp } from '#inbound/listen-tcp.ts'
import type { Log } from '#observe/log.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { answerDns, askToComeByTcp, type ChallengeZone, parseDnsQuery } from './challenge-zone.ts'

/**
 * For all clients together, by UDP and by TCP: a resolver asks a few times for each order. By UDP, where anybody can write any sender,
 * whoever asks beyond it has to come by TCP. Refusals have an allowance of their own.
 */
const answersAllowance = { count: 200, windowMs: 1_000 }
const connectionsMax = 64
const connectionsPerNetworkMax = 4
const connectionMsMax = 5_000
/** A question, not an answer. */
const queryBytesMax = 512

interface DnsListenerOptions {
  readonly host: string
  readonly port: number
  readonly zone: ChallengeZone
  /** The strings that authorities look for now. */
  readonly values: () => Promise<readonly string[]>
  readonly log: Log
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** Answers for the zone of challenges, by UDP and TCP at one port. Rejects with the system's error if it cannot listen. */
export async function listenDns(options: DnsListenerOptions): Promise<AsyncDisposable> {
  const { host, now, port } = options
  const log = rateLimitedLog(options.log)
  const limiter = new RateLimiter(answersAllowance, { now })
  const answer = async (message: Buffer, isUdp: boolean): Promise<Buffer | null> => {
    const query = message.length > queryBytesMax ? null : parseDnsQuery(message, options.zone)
    if (query === null) return null
    const transport = isUdp ? 'udp' : 'tcp'
    const isRefused = query.place === 'elsewhere'
    if (limiter.take(isRefused ? 'refusals' : transport) > 0) {
      return isUdp && !isRefused ? askToComeByTcp(query) : null
    }
    try {
      return await answerDns(query, { ...options, isUdp })
    } catch (error) {
      log.error('DNS query not answered', { error })
      return null
    }
  }
  await using opened = new AsyncDisposableStack()
  const udp = await Bun.udpSocket({
    hostname: host,
    port,
    socket: {
      async data(socket, message, peerPort, peer) {
        const answered = await answer(Buffer.from(message), true)
        if (answered !== null && !socket.closed) socket.send(answered, peerPort, peer)
      },
    },
  })
  opened.defer(() => udp.close())
  opened.use(
    await listenTcp({
      host,
      port,
      connectionMsMax,
      connectionsMax,
      connectionsPerNetworkMax,
      onConnection: (socket) => answerQuery(socket, (message) => answer(message, false)),
    }),
  )
  const open = opened.move()
  return { [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Answers the one query of a connection, framed by its length (RFC 1035 §4.2.2), and closes it. */
function answerQuery(socket: Socket, answer: (message: Buffer) => Promise<Buffer | null>): void {
  let received = Buffer.alloc(0)
  socket.on('data', async (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    if (received.length > 2 + queryBytesMax) return void socket.destroy()
    const length = received.length < 2 ? Number.POSITIVE_INFINITY : received.readUInt16BE(0)
    if (received.length < 2 + length) return
    const answered = await answer(received.subarray(2, 2 + length))
    if (answered === null) return void socket.destroy()
    const frame = Buffer.alloc(2)
    frame.writeUInt16BE(answered.length)
    socket.end(Buffer.concat([frame, answered]))
  })
}
