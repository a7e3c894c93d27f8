import { DirectRequest, type WholeAnswer } from '#edge/direct-request.ts'
import type { Answer } from '#edge/dispatch.ts'
import type { RequestServer } from '#http/client-address.ts'
import type { Log } from '#observe/log.ts'
import { connectionIdleSeconds } from '#site/limits.ts'
import { dropEarly } from './early-answer.ts'
import type { PlainRequest, ReadRequest } from './read-request.ts'
import type {
  AcceptConnection,
  ByteSocket,
  ConnectionHandler,
  SecureConnection,
  Visitor,
} from './secure-connection.ts'
import { SendQueue } from './send-queue.ts'
import { type WireAnswers, wireBodyBytesMax } from './wire-answers.ts'

interface DirectOptions {
  readonly answer: Answer
  /** Where everything else goes. */
  readonly pass: AcceptConnection
  readonly read: ReadRequest
  readonly wires: WireAnswers
  readonly log: Log
  /** Whether requests for this host may be answered here. */
  readonly isDirect: (host: string) => boolean
  /** `Alt-Svc` of the answers for a host; null: without it. */
  readonly alternative: (host: string) => string | null
  /** How long a connection may be idle, or its client take none of the bytes that wait for it. */
  readonly idleMsMax?: number
}

const defaultIdleMsMax = connectionIdleSeconds * 1_000

/**
 * Answers HTTP/1.1 requests for files in memory on their own connection. Passes any other request on, with everything that
 * follows it, so that unusual input has one parser.
 */
export class DirectRequests {
  readonly #options: DirectOptions
  readonly #open = new Set<DirectConnection>()
  #isStopping = false

  constructor(options: DirectOptions) {
    this.#options = options
  }

  readonly accept: AcceptConnection = (connection) => {
    const { isDirect, pass } = this.#options
    const { isHttp2, visitor } = connection
    if (this.#isStopping || isHttp2 || !isDirect(visitor.serverName)) return pass(connection)
    const direct = new DirectConnection(connection, this.#options, () => this.#open.delete(direct))
    this.#open.add(direct)
    return direct
  }

  /** Ends the connections that are between two requests, and passes on what comes on the others. */
  stop(): void {
    this.#isStopping = true
    for (const connection of this.#open) connection.stop()
  }
}

/** `timeout` does nothing: files never change it, and the application goes through the pipe. */
const server: RequestServer = {
  requestIP: (request) => (request instanceof DirectRequest ? request.visitor : null),
  timeout: () => undefined,
}

class DirectConnection implements ConnectionHandler {
  readonly #connection: SecureConnection
  readonly #socket: ByteSocket
  readonly #options: DirectOptions
  readonly #onOver: () => void
  readonly #queue: SendQueue
  readonly #idle: Timer
  /** The handler of what is passed on: the rest of the connection. */
  #next: ConnectionHandler | null = null
  /** Its answer is being made. */
  #isMaking = false
  /** Bytes that came before the answer was sent. */
  #pipelined: Uint8Array[] = []
  #isStopping = false
  #isEnded = false
  #isClosed = false

  constructor(connection: SecureConnection, options: DirectOptions, onOver: () => void) {
    this.#connection = connection
    this.#socket = connection.socket
    this.#options = options
    this.#onOver = onOver
    this.#queue = new SendQueue(connection.socket)
    const idleMsMax = options.idleMsMax ?? defaultIdleMsMax
    this.#idle = setTimeout(() => this.#endIdle(), idleMsMax)
  }

  data(bytes: Uint8Array): void {
    if (this.#next !== null) return void this.#next.data(bytes)
    if (this.#isMaking || !this.#queue.isEmpty) return void this.#wait(bytes)
    const { read } = this.#options
    const { visitor } = this.#connection
    const asked = this.#isStopping ? null : read(bytes, visitor.serverName)
    if (asked === null) return void this.#pass(bytes)
    const request = requestOf(asked, visitor)
    if (request === null) return void this.#pass(bytes)
    const response = this.#options.answer(request, server)
    const { whole } = request
    if (whole === null || whole.response !== response || !isSmall(whole)) {
      visitor.early = { request, response }
      return void this.#pass(bytes)
    }
    const wire = this.#options.wires.find(whole, this.#alternate)
    if (wire === null) void this.#make(whole)
    else this.#send(wire)
  }

  drain(): void {
    if (this.#next !== null) return void this.#next.drain()
    if (this.#queue.flush()) this.#sent()
    else this.#idle.refresh()
  }

  end(): void {
    if (this.#next !== null) return void this.#next.end()
    this.#isEnded = true
    if (!this.#isMaking && this.#queue.isEmpty) this.#socket.close()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#idle)
    this.#onOver()
    this.#next?.close()
    dropEarly(this.#connection.visitor)
  }

  stop(): void {
    this.#isStopping = true
    if (!this.#isMaking && this.#queue.isEmpty) this.#socket.close()
  }

  async #make(whole: WholeAnswer): Promise<void> {
    this.#isMaking = true
    try {
      this.#send(await this.#options.wires.make(whole, this.#alternate))
    } catch (error) {
      this.#options.log.error('answer not made', { error })
      this.#socket.terminate()
    }
  }

  #send(wire: Uint8Array): void {
    this.#isMaking = false
    if (this.#isClosed) return
    this.#queue.send(wire)
    if (this.#queue.isEmpty) this.#sent()
  }

  #sent(): void {
    const pipelined = this.#pipelined
    if (pipelined.length > 0) {
      this.#pipelined = []
      this.#pass(...pipelined)
      this.#socket.resume()
    } else if (this.#isEnded || this.#isStopping) this.#socket.close()
    else this.#idle.refresh()
  }

  /** The client sends its next request before it has the answer. */
  #wait(bytes: Uint8Array): void {
    this.#pipelined.push(bytes)
    this.#socket.pause()
  }

  #pass(...pieces: Uint8Array[]): void {
    this.#onOver()
    clearTimeout(this.#idle)
    const next = this.#options.pass(this.#connection)
    this.#next = next
    for (const bytes of pieces) next.data(bytes)
    if (this.#isEnded) next.end()
  }

  #endIdle(): void {
    if (this.#queue.isEmpty) this.#socket.close()
    else this.#socket.terminate()
  }

  get #alternate(): string | null {
    return this.#options.alternative(this.#connection.visitor.serverName)
  }
}

/** Null if `Request` rejects a field that `Bun.serve` might accept. */
function requestOf({ fields, target }: PlainRequest, visitor: Visitor): DirectRequest | null {
  try {
    return new DirectRequest(`http://${visitor.serverName}${target}`, fields, visitor)
  } catch {
    return null
  }
}

const isSmall = ({ body }: WholeAnswer): boolean => body === null || body.size <= wireBodyBytesMax
