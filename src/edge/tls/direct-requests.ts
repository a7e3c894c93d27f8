import type { Answer } from '#edge/dispatch.ts'
import type { InMemoryAnswer } from '#edge/files/in-memory-answer.ts'
import type { RequestServer } from '#http/client-address.ts'
import type { Log } from '#observe/log.ts'
import { connectionIdleSeconds } from '#site/limits.ts'
import { DirectRequest } from './direct-request.ts'
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
import { type SerializedAnswers, serializedBodyBytesMax } from './serialized-answers.ts'

interface DirectOptions {
  readonly answer: Answer
  /** Where everything else goes. */
  readonly passOn: AcceptConnection
  readonly read: ReadRequest
  readonly serialized: SerializedAnswers
  readonly log: Log
  /** Whether requests for this host may be answered here. */
  readonly isDirect: (host: string) => boolean
  /** `Alt-Svc` of the answers for a host; null: without it. */
  readonly altSvcOf: (host: string) => string | null
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
    const { isDirect, passOn } = this.#options
    const { isHttp2, visitor } = connection
    if (this.#isStopping || isHttp2 || !isDirect(visitor.serverName)) return passOn(connection)
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
  readonly #onLeave: () => void
  readonly #queue: SendQueue
  readonly #idle: Timer
  /** The handler of what is passed on: the rest of the connection. */
  #next: ConnectionHandler | null = null
  #isSerializing = false
  /** Bytes that came before the answer was sent. */
  #pipelined: Buffer[] = []
  #isStopping = false
  #isHalfClosed = false
  #isClosed = false

  constructor(connection: SecureConnection, options: DirectOptions, onLeave: () => void) {
    this.#connection = connection
    this.#socket = connection.socket
    this.#options = options
    this.#onLeave = onLeave
    this.#queue = new SendQueue(connection.socket)
    const idleMsMax = options.idleMsMax ?? defaultIdleMsMax
    this.#idle = setTimeout(() => this.#endIdle(), idleMsMax)
  }

  data(bytes: Buffer): void {
    if (this.#next !== null) return void this.#next.data(bytes)
    if (!this.#isBetweenRequests) return void this.#holdBack(bytes)
    const request = this.#requestIn(bytes)
    if (request === null) return void this.#passOn(bytes)
    const response = this.#options.answer(request, server)
    const { inMemory } = request
    if (inMemory?.response === response && isSmall(inMemory)) this.#respond(inMemory)
    else {
      this.#connection.visitor.early = { request, response }
      this.#passOn(bytes)
    }
  }

  drain(): void {
    if (this.#next !== null) return void this.#next.drain()
    if (this.#queue.flush()) this.#sent()
    else this.#idle.refresh()
  }

  end(): void {
    if (this.#next !== null) return void this.#next.end()
    this.#isHalfClosed = true
    if (this.#isBetweenRequests) this.#socket.close()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#idle)
    this.#onLeave()
    this.#next?.close()
    dropEarly(this.#connection.visitor)
  }

  stop(): void {
    this.#isStopping = true
    if (this.#isBetweenRequests) this.#socket.close()
  }

  get #isBetweenRequests(): boolean {
    return !this.#isSerializing && this.#queue.isEmpty
  }

  #requestIn(bytes: Buffer): DirectRequest | null {
    const { visitor } = this.#connection
    const asked = this.#isStopping ? null : this.#options.read(bytes, visitor.serverName)
    return asked === null ? null : requestOf(asked, visitor)
  }

  #respond(answer: InMemoryAnswer): void {
    const { altSvcOf, serialized } = this.#options
    const altSvc = altSvcOf(this.#connection.visitor.serverName)
    const bytes = serialized.find(answer, altSvc)
    if (bytes === null) void this.#sendLater(serialized.serialize(answer, altSvc))
    else this.#send(bytes)
  }

  async #sendLater(bytes: Promise<Uint8Array>): Promise<void> {
    this.#isSerializing = true
    try {
      this.#send(await bytes)
    } catch (error) {
      this.#options.log.error('answer not serialized', { error })
      this.#socket.terminate()
    }
  }

  #send(bytes: Uint8Array): void {
    this.#isSerializing = false
    if (this.#isClosed) return
    this.#queue.send(bytes)
    if (this.#queue.isEmpty) this.#sent()
  }

  #sent(): void {
    const pipelined = this.#pipelined
    if (pipelined.length > 0) {
      this.#pipelined = []
      this.#passOn(...pipelined)
      this.#socket.resume()
    } else if (this.#isHalfClosed || this.#isStopping) this.#socket.close()
    else this.#idle.refresh()
  }

  /** The client sends its next request before it has the answer. */
  #holdBack(bytes: Buffer): void {
    this.#pipelined.push(bytes)
    this.#socket.pause()
  }

  #passOn(...pieces: Buffer[]): void {
    this.#onLeave()
    clearTimeout(this.#idle)
    const next = this.#options.passOn(this.#connection)
    this.#next = next
    for (const bytes of pieces) next.data(bytes)
    if (this.#isHalfClosed) next.end()
  }

  #endIdle(): void {
    if (this.#queue.isEmpty) this.#socket.close()
    else this.#socket.terminate()
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

const isSmall = ({ body }: InMemoryAnswer): boolean =>
  body === null || body.size <= serializedBodyBytesMax
