import { codeOf } from '#observe/code-of.ts'

interface ConnectionTimes {
  readonly connectMs: number
  /** The connection ends if nothing arrives between two beats, not even the pong. */
  readonly heartbeatMs: number
}

const timesDefault: ConnectionTimes = { connectMs: 10_000, heartbeatMs: 30_000 }

interface ConnectionHandlers {
  readonly onOpen: () => void
  /** A string or bytes. Must not throw. */
  readonly onFrame: (data: unknown) => void
}

/**
 * One WebSocket connection, read until it ends. Private addresses are allowed, because the operator sets the address.
 * No redirects and no compression, so that no small message becomes a large one. Bun ends the connection at a
 * message of over 128 MiB.
 */
export class FirehoseConnection {
  readonly #socket: Bun.WebSocket
  readonly #listening = new AbortController()
  readonly #ended = Promise.withResolvers<string>()
  readonly #deadline: Timer
  #heartbeat: Timer | undefined
  #hasHeard = true

  constructor(url: URL, { onOpen, onFrame }: ConnectionHandlers, times = timesDefault) {
    this.#socket = openSocket(url)
    this.#deadline = setTimeout(() => this.end('no answer'), times.connectMs)
    this.#on('open', () => {
      clearTimeout(this.#deadline)
      this.#heartbeat = setInterval(() => this.#beat(), times.heartbeatMs)
      onOpen()
    })
    this.#on('message', ({ data }) => {
      this.#hasHeard = true
      onFrame(data)
    })
    this.#on('ping', () => this.#hear())
    this.#on('pong', () => this.#hear())
    this.#on('error', (event) => this.end(reasonOf(event)))
    this.#on('close', () => this.end('connection lost'))
  }

  /** Resolves with the reason when the connection has ended. */
  get ended(): Promise<string> {
    return this.#ended.promise
  }

  /** Stops reading from the network until `resume`; frames already read may still arrive. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    if (this.#socket.isPaused) this.#socket.resume()
  }

  /** No handler is called after this. Idempotent. */
  end(reason: string): void {
    clearTimeout(this.#deadline)
    clearInterval(this.#heartbeat)
    this.#listening.abort()
    this.#ended.resolve(reason)
    this.#socket.terminate()
  }

  #on<Type extends keyof Bun.WebSocketEventMap>(
    type: Type,
    listener: (event: Bun.WebSocketEventMap[Type]) => void,
  ): void {
    this.#socket.addEventListener(type, listener, { signal: this.#listening.signal })
  }

  #hear(): void {
    this.#hasHeard = true
  }

  #beat(): void {
    // While paused, no pong can arrive.
    if (this.#socket.isPaused) this.#hasHeard = true
    else if (!this.#hasHeard) this.end('nothing was heard')
    else {
      this.#hasHeard = false
      this.#socket.ping()
    }
  }
}

function openSocket(url: URL): Bun.WebSocket {
  // The DOM's types, which the web app needs, hide Bun's.
  const Socket = WebSocket as unknown as new (url: URL, options: object) => Bun.WebSocket
  return new Socket(url, { perMessageDeflate: false })
}

/** Drops the address, which Bun puts first: it may contain a token, and makes equal failures differ. */
function reasonOf({ message, error }: ErrorEvent): string {
  const reason = message.split(' failed: ').at(-1)?.slice(0, 200)
  const code = codeOf(error)
  return code === undefined ? `${reason}` : `${reason} (${code})`
}
