import { codeOf } from '#observe/code-of.ts'

interface ConnectionTimes {
  /** Until it is open. */
  readonly connectMs: number
  /** If nothing came between two beats, not even the answer to a ping, the connection is given up. */
  readonly heartbeatMs: number
}

const timesDefault: ConnectionTimes = { connectMs: 10_000, heartbeatMs: 30_000 }

interface ConnectionHandlers {
  readonly onOpen: () => void
  /** A frame as it came: text, or bytes. Must not throw. */
  readonly onFrame: (data: unknown) => void
}

/**
 * One WebSocket connection, read until it ends. The address is the operator's, so private ones are allowed;
 * redirects are not followed, and nothing is compressed, so that no small message becomes a large one. Bun
 * itself ends the connection at a message of over 128 MiB.
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

  /** Resolves when it has ended, with the reason. */
  get ended(): Promise<string> {
    return this.#ended.promise
  }

  /** No more is read from the network until `resume`; what was read already may still come. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    if (this.#socket.isPaused) this.#socket.resume()
  }

  /** Nothing comes after this. Safe to call again. */
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
    // Of a connection that we do not read, nothing can be heard.
    if (this.#socket.isPaused) this.#hasHeard = true
    else if (!this.#hasHeard) this.end('nothing was heard')
    else {
      this.#hasHeard = false
      this.#socket.ping()
    }
  }
}

function openSocket(url: URL): Bun.WebSocket {
  // The types of the DOM, which the web app needs, hide those of Bun.
  const Socket = WebSocket as unknown as new (url: URL, options: object) => Bun.WebSocket
  return new Socket(url, { perMessageDeflate: false })
}

/** Without the address, which Bun puts first: it may hold a token, and makes equal failures differ. */
function reasonOf({ message, error }: ErrorEvent): string {
  const reason = message.split(' failed: ').at(-1)?.slice(0, 200)
  const code = codeOf(error)
  return code === undefined ? `${reason}` : `${reason} (${code})`
}
