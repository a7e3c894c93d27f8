/** Who is at the other end of a connection over TLS. */
export interface Visitor {
  readonly address: string
  /** The name of the handshake (SNI), canonical. */
  readonly serverName: string
  /** The answer to the request that was just passed on; the inner server sends it. */
  early?: EarlyAnswer | undefined
}

/** An answer that was made before its request was passed on. */
export interface EarlyAnswer {
  readonly request: Pick<Request, 'url'> & {
    /** The inner server has the request, too. */
    continueAs(inner: Request): void
    /** Nobody waits for the answer any more. */
    abort(): void
  }
  readonly response: Response | Promise<Response>
}

/** A socket of Bun's, of a listener or of a client. `write` returns how many bytes it has taken, or less than 0 once it is closed. */
export type ByteSocket = Pick<
  Bun.Socket<unknown>,
  'close' | 'pause' | 'resume' | 'shutdown' | 'terminate' | 'write'
>

/** A connection whose handshake has ended; its bytes are HTTP. */
export interface SecureConnection {
  readonly socket: ByteSocket
  readonly visitor: Visitor
  /** Agreed in the handshake. */
  readonly isHttp2: boolean
}

/** What the listener passes on of a connection's socket. */
export interface ConnectionHandler {
  /** The bytes are the handler's. */
  data(bytes: Buffer): void
  /** The socket takes bytes again. */
  drain(): void
  /** The client has closed its side, and may still read. The handler closes the connection. */
  end(): void
  close(): void
}

/**
 * Takes a connection over and answers what comes on it. The only thing that TLS knows of HTTP, so that it can go away when
 * `Bun.serve` accepts certificates while it runs.
 */
export type AcceptConnection = (connection: SecureConnection) => ConnectionHandler
