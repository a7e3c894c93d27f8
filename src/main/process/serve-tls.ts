import { listenDns } from '#certificates/dns/listen-dns.ts'
import type { FileCertificates } from '#certificates/file-certificates.ts'
import type { Answer } from '#edge/dispatch.ts'
import type { Http3End } from '#edge/http3/answer-http3.ts'
import type { RoutedHosts } from '#edge/names/route.ts'
import { ConnectionGate } from '#edge/tls/connection-gate.ts'
import { DirectRequests } from '#edge/tls/direct-requests.ts'
import { FirstCertificates } from '#edge/tls/first-certificates.ts'
import { Http1Pipe } from '#edge/tls/http1-pipe.ts'
import { answerPlainHttp } from '#edge/tls/plain-http.ts'
import { listenPlain, plainGateLimits } from '#edge/tls/plain-listener.ts'
import { requestReader } from '#edge/tls/read-request.ts'
import type { AcceptConnection } from '#edge/tls/secure-connection.ts'
import { SecureContexts } from '#edge/tls/secure-contexts.ts'
import type { SerializedAnswers } from '#edge/tls/serialized-answers.ts'
import { type ContextSource, type HandshakeEnd, listenTls } from '#edge/tls/tls-listener.ts'
import type { Config } from '#main/config/config.ts'
import type { ListenAddress } from '#main/config/setting-kinds.ts'
import { nameInFiles, type OrderedCertificates } from '#main/service/open-certificates.ts'
import type { Log } from '#observe/log.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { drain, unchanged } from './drain.ts'
import { FixedCertificates } from './fixed-certificates.ts'
import { InnerServers } from './inner-servers.ts'
import { listen, listenError } from './listen.ts'
import { Http3 } from './serve-http3.ts'

interface TlsOptions {
  readonly tls: Pick<NonNullable<Config['tls']>, 'hstsSeconds' | 'httpListen' | 'listen'> & {
    readonly dnsListen: ListenAddress | null
  }
  readonly trustedProxies: Config['trustedProxies']
  readonly answer: Answer
  /** Requests for this host go through the pipe: the application sets timeouts and streams. */
  readonly applicationHost: string
  /** Read. */
  readonly files: FileCertificates
  /** Null: those of files are all. */
  readonly ordered: OrderedCertificates | null
  /** HTTP/3 for the names that do not depend on accounts; without it, it is off. */
  readonly http3?: { readonly hosts: RoutedHosts; readonly onRequest: (end: Http3End) => void }
  readonly onHandshake: (end: HandshakeEnd) => void
  readonly log: Log
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  readonly serialized: SerializedAnswers
  readonly signal: AbortSignal
}

export interface TlsService extends AsyncDisposable {
  /** Where it listens: the port of the settings, or the free one that 0 stands for. */
  readonly port: number
  /** Re-reads certificate files, and renews what depends on them, until the signal. */
  readonly background: Promise<unknown>
  /** Accepts visitors until the requests in progress are answered; then closes. */
  drain(over: AbortSignal): Promise<void>
}

/**
 * Answers over TLS. Files in memory over HTTP/1.1 are answered on their connection; two inner servers, one for each
 * protocol, answer everything else, and only what came through TLS. Throws ConfigError if it cannot listen.
 */
export async function serveTls(options: TlsOptions): Promise<TlsService> {
  const { answer, elapsed, files, log, onHandshake, ordered, signal, tls, trustedProxies } = options
  await using opened = new AsyncDisposableStack()
  let http3: Http3 | null = null
  const { hstsSeconds } = tls
  const altSvcOf = (host: string): string | null => http3?.alternative(host) ?? null
  const inside = new InnerServers({
    answer,
    hstsSeconds,
    log,
    trustedProxies,
    ...(options.http3 && { altSvcOf }),
  })
  const inner = inside.listen(unchanged)
  opened.defer(() => inner.stop(true))
  const { httpListen } = tls
  if (httpListen !== null) {
    const at = { ...httpListen, setting: 'HTTP_LISTEN' } as const
    const fetch = answerPlainHttp(ordered?.challengeAnswer ?? null)
    const answering = listen({ host: '127.0.0.1', port: 0, setting: 'HTTP_LISTEN', fetch })
    opened.defer(() => answering.stop(true))
    const gate = new ConnectionGate({ limits: plainGateLimits, trustedProxies, now: elapsed })
    const limited = rateLimitedLog(log)
    const onConnectFailed = (error: unknown): void =>
      limited.warn('visitor of HTTP_LISTEN disconnected: inner server not reached', { error })
    const { accept } = new Http1Pipe(answering.port ?? 0, onConnectFailed)
    opened.use(await named(() => listenPlain({ ...httpListen, accept, gate }), at))
  }
  if (tls.dnsListen !== null && ordered !== null) {
    const { zone, zoneValues: values } = ordered
    const dns = listenDns({ ...tls.dnsListen, log, now: elapsed, values, zone })
    opened.use(await named(() => dns, { ...tls.dnsListen, setting: 'ACME_DNS_LISTEN' }))
  }
  const direct = directRequests(options, inside.accept, altSvcOf)
  const listener = opened.use(
    await named(
      () =>
        listenTls({
          ...tls.listen,
          accept: direct?.accept ?? inside.accept,
          contexts: contextsOf(files, ordered, elapsed),
          gate: new ConnectionGate({ trustedProxies, now: elapsed }),
          log,
          onHandshake,
        }),
      { ...tls.listen, setting: 'TLS_LISTEN' },
    ),
  )
  if (options.http3 !== undefined) {
    const { hosts, onRequest } = options.http3
    const listen = { ...tls.listen, port: listener.port }
    const certificates = new FixedCertificates({ files, ordered }, hosts)
    http3 = opened.use(new Http3({ answer, certificates, hstsSeconds, listen, log, onRequest }))
    await http3.renew(signal)
  }
  ordered?.onListening()
  const open = opened.move()
  return {
    port: listener.port,
    background: Promise.all([files.run({ log, signal }), http3?.run(signal)]),
    async drain(over) {
      direct?.stop()
      await Promise.all([
        drain(inner, { listenAgain: (change) => inside.listen(change), log, over }),
        http3?.drain(over),
      ])
      await listener.stop(over)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Null: all goes through the pipe. */
function directRequests(
  { answer, applicationHost, log, serialized }: TlsOptions,
  passOn: AcceptConnection,
  altSvcOf: (host: string) => string | null,
): DirectRequests | null {
  const read = requestReader()
  if (read === null) {
    log.warn('HTTP/1.1 parser missing: all requests go through the pipe')
    return null
  }
  return new DirectRequests({
    ...{ altSvcOf, answer, log, passOn, read, serialized },
    isDirect: (host) => host !== applicationHost,
  })
}

/** Rejects with a ConfigError that names the setting if it cannot listen. */
async function named<T>(
  listen: () => T | Promise<T>,
  at: Parameters<typeof listenError>[1],
): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    throw listenError(error, at)
  }
}

/** Certificates of files come first. */
function contextsOf(
  files: FileCertificates,
  ordered: OrderedCertificates | null,
  elapsed: () => number,
): ContextSource {
  const fileContexts = new SecureContexts({
    placeOf(host) {
      const name = nameInFiles(files, host)
      return name === null ? null : { name, version: files.version }
    },
    read: async ({ name }) => files.find(name),
  })
  if (ordered === null) {
    return { contextOf: (host) => fileContexts.contextOf(host), isWaiting: false }
  }
  const orderedContexts = new SecureContexts({
    placeOf: (host) => ordered.placeOf(host),
    read: ({ name }) => ordered.read(name),
  })
  const contextOf: ContextSource['contextOf'] = (host) =>
    fileContexts.contextOf(host) ?? orderedContexts.contextOf(host)
  return new FirstCertificates({ ...ordered, contexts: { contextOf }, now: elapsed })
}
