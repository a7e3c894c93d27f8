import { certificateNamesOf } from '#certificates/certificate.ts'
import { CertificateFileError } from '#certificates/certificate-files.ts'
import { FileCertificates } from '#certificates/file-certificates.ts'
import type { Answer } from '#edge/dispatch.ts'
import { ConnectionGate } from '#edge/tls/connection-gate.ts'
import { InnerPipe } from '#edge/tls/inner-pipe.ts'
import { answerPiped } from '#edge/tls/piped-requests.ts'
import { answerPlainHttp } from '#edge/tls/plain-http.ts'
import { type CertificatePlace, SecureContexts } from '#edge/tls/secure-contexts.ts'
import { type ContextSource, type HandshakeEnd, listenTls } from '#edge/tls/tls-listener.ts'
import { type Config, ConfigError } from '#main/config/config.ts'
import type { Log } from '#observe/log.ts'
import { drain, type Fetch } from './drain.ts'
import { listen, listenError } from './listen.ts'

interface TlsOptions {
  readonly tls: NonNullable<Config['tls']>
  readonly trustedProxies: Config['trustedProxies']
  readonly answer: Answer
  readonly onHandshake: (end: HandshakeEnd) => void
  readonly log: Log
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly signal: AbortSignal
}

export interface TlsService extends AsyncDisposable {
  /** Where it listens: the port of the settings, or the free one that 0 stands for. */
  readonly port: number
  /** Re-reads certificate files until the signal. */
  readonly background: Promise<void>
  /** Accepts visitors until the requests in progress are answered; then closes. */
  drain(over: AbortSignal): Promise<void>
}

/**
 * Answers over TLS: connections end in this process and are passed on to an inner server on loopback, which answers only what
 * came through TLS. Throws ConfigError if it cannot listen, or a certificate cannot be used.
 */
export async function serveTls(options: TlsOptions): Promise<TlsService> {
  const { answer, elapsed, log, onHandshake, signal, tls, trustedProxies } = options
  await using opened = new AsyncDisposableStack()
  const files = new FileCertificates(tls.files)
  await readFirst(files)
  const pipe = new InnerPipe(0)
  const fetch = answerPiped({ answer, pipe, hstsSeconds: tls.hstsSeconds })
  const listenInside = (inside: Fetch) => {
    const server = listen({
      host: '127.0.0.1',
      port: 0,
      setting: 'TLS_LISTEN',
      fetch: inside,
      http2: true,
    })
    pipe.leadTo(server.port ?? 0)
    return server
  }
  const inner = listenInside(fetch)
  opened.defer(() => inner.stop(true))
  if (tls.httpListen !== null) {
    const plain = listen({ ...tls.httpListen, setting: 'HTTP_LISTEN', fetch: answerPlainHttp })
    opened.defer(() => plain.stop(true))
  }
  const listener = opened.use(
    await listenTls({
      ...tls.listen,
      accept: pipe.accept,
      contexts: contextsOf(files),
      gate: new ConnectionGate({ trustedProxies, now: elapsed }),
      log,
      onHandshake,
    }).catch((error: unknown) => {
      throw listenError(error, { ...tls.listen, setting: 'TLS_LISTEN' })
    }),
  )
  const open = opened.move()
  return {
    port: listener.port,
    background: files.run({ log, signal }),
    async drain(over) {
      await drain(inner, { fetch, listenAgain: listenInside, log, over })
      await listener.stop(over)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function readFirst(files: FileCertificates): Promise<void> {
  try {
    await files.read()
  } catch (error) {
    if (!(error instanceof CertificateFileError)) throw error
    throw new ConfigError(`TLS_FILES: ${error.message}`, { cause: error })
  }
}

function contextsOf(files: FileCertificates): ContextSource {
  const placeOf = (host: string): CertificatePlace | null => {
    const name = certificateNamesOf(host).find((each) => files.find(each) !== null)
    return name === undefined ? null : { name, version: files.version }
  }
  const contexts = new SecureContexts({ placeOf, read: async ({ name }) => files.find(name) })
  return { contextOf: (host) => contexts.contextOf(host) }
}
