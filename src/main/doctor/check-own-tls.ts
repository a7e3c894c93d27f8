import { connect, type PeerCertificate } from 'node:tls'
import { type Finding, ok, problem, warning } from '#cli/diagnosis/finding.ts'
import type { Config } from '#main/config/config.ts'
import { accepts } from './check-ports.ts'

type Listen = NonNullable<Config['tls']>['listen']

const handshakeMsMax = 5_000
const startIt =
  'start the service; ports below 1024 need deploy/sitehost-tls.conf, and no other program there'

/** Where TLS ends in the process: its ports, and the certificate that visitors of the application get. */
export async function checkOwnTls(
  { httpListen, listen }: Pick<NonNullable<Config['tls']>, 'httpListen' | 'listen'>,
  application: string,
): Promise<Finding[]> {
  const plain = httpListen === null ? [] : [await checkPlain(httpListen)]
  return [...plain, await checkCertificate(listen, application)]
}

async function checkPlain(listen: Listen): Promise<Finding> {
  const { port } = listen
  return (await accepts(localHostOf(listen), port))
    ? ok('TLS', `port ${port} accepts connections`)
    : warning('TLS', `nothing accepts connections at port ${port}`, startIt)
}

async function checkCertificate(listen: Listen, application: string): Promise<Finding> {
  const { port } = listen
  if (!(await accepts(localHostOf(listen), port))) {
    return warning('TLS', `nothing accepts connections at port ${port}`, startIt)
  }
  const shown = await certificateAt(listen, application)
  if (shown === null) {
    return problem(
      'TLS',
      `port ${port} shows no certificate for ${application}`,
      'its log says why (certificate not issued): DNS has to lead here, and port 80 has to be reachable from everywhere',
    )
  }
  const until = Date.parse(shown.valid_to)
  const seen = `port ${port} shows a certificate for ${application} until ${new Date(until).toISOString().slice(0, 10)}`
  if (until > Date.now()) return ok('TLS', seen)
  return problem('TLS', seen, 'it has expired: the log says why it is not renewed')
}

/** Null: the handshake fails. */
async function certificateAt(listen: Listen, servername: string): Promise<PeerCertificate | null> {
  const { promise, resolve } = Promise.withResolvers<PeerCertificate | null>()
  const to = { host: localHostOf(listen), port: listen.port, servername }
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

const localHostOf = ({ host }: Listen): string =>
  ['::', '0.0.0.0'].includes(host) ? '127.0.0.1' : host
