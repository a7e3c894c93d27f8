import { connect, type PeerCertificate } from 'node:tls'
import { type Finding, ok, problem, warning } from '#cli/diagnosis/finding.ts'
import type { Config } from '#main/config/config.ts'
import { localHostOf } from '#main/status/ask-service.ts'
import { accepts } from './check-ports.ts'

type Listen = NonNullable<Config['tls']>['listen']

const handshakeMsMax = 5_000
const startIt =
  'start the service; ports below 1024 need deploy/sitehost-tls.conf, and no other program there'

interface OwnTls extends Pick<NonNullable<Config['tls']>, 'httpListen' | 'listen'> {
  /** Whether the service orders certificates; otherwise those of TLS_FILES are all. */
  readonly isOrdering: boolean
}

/** Where TLS ends in the process: its ports, and the certificate that visitors of the application get. */
export async function checkOwnTls(
  { httpListen, isOrdering, listen }: OwnTls,
  application: string,
): Promise<Finding[]> {
  const plain = httpListen === null ? [] : [await checkPlain(httpListen)]
  return [...plain, await checkCertificate(listen, application, isOrdering)]
}

async function checkPlain(listen: Listen): Promise<Finding> {
  const { port } = listen
  return (await accepts(localHostOf(listen.host), port))
    ? ok('TLS', `port ${port} accepts connections`)
    : warning('TLS', `nothing accepts connections at port ${port}`, startIt)
}

async function checkCertificate(
  listen: Listen,
  application: string,
  isOrdering: boolean,
): Promise<Finding> {
  const { port } = listen
  if (!(await accepts(localHostOf(listen.host), port))) {
    return warning('TLS', `nothing accepts connections at port ${port}`, startIt)
  }
  const shown = await certificateAt(listen, application)
  if (shown === null) {
    return problem(
      'TLS',
      `port ${port} shows no certificate for ${application}`,
      isOrdering
        ? 'its log says why (certificate not issued): DNS has to lead here, port 80 has to be reachable from everywhere, and the authority has to answer'
        : `TLS_FILES has no certificate for ${application}`,
    )
  }
  const until = Date.parse(shown.valid_to)
  const seen = `port ${port} shows a certificate for ${application} until ${new Date(until).toISOString().slice(0, 10)}`
  if (until > Date.now()) return ok('TLS', seen)
  const why = isOrdering
    ? 'the log says why it is not renewed'
    : 'renew the files of TLS_FILES, which the service reads every minute'
  return problem('TLS', seen, `it has expired: ${why}`)
}

/** Null: the handshake fails. */
async function certificateAt(listen: Listen, servername: string): Promise<PeerCertificate | null> {
  const { promise, resolve } = Promise.withResolvers<PeerCertificate | null>()
  const to = { host: localHostOf(listen.host), port: listen.port, servername }
  // Whoever signed it: browsers judge that.
  const socket = connect({ ...to, rejectUnauthorized: false, timeout: handshakeMsMax }, () =>
    resolve(socket.getPeerCertificate()),
  )
  socket.on('error', () => resolve(null))
  socket.on('close', () => resolve(null))
  socket.on('timeout', () => resolve(null))
  try {
    return await promise
  } finally {
    socket.destroy()
  }
}
