import { join } from 'node:path'
import type { ExternalAccount } from '#certificates/acme/external-account.ts'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { programPath } from '#tests/support/require.ts'
import { loopbackCertificate, loopbackCertificateKey } from './loopback-certificate.ts'

/** Pebble: a certificate authority that checks who asks, and that nobody else trusts. */
export interface AcmeServer extends AsyncDisposable {
  /** Of its directory. */
  readonly url: string
  /** File with the certificate that its own address has. */
  readonly certificateFile: string
  /** What trusts the certificates that it issues trusts this one, PEM. */
  readonly root: string
  /** Certificates that it was asked for so far, issued or not. */
  orders(): number
  issued(): number
  /** What it says of a certificate that it has issued: `Valid`, `Revoked`. `serial`: in hex. */
  statusOf(serial: string): Promise<string>
}

export interface AcmeServerOptions {
  readonly dir: string
  /** Where it finds out where a name leads. */
  readonly dnsServer: string
  /** Where it looks for the answers to its challenges. */
  readonly httpPort: number
  readonly httpsPort: number
  /** Percentage of the nonces that it refuses, as authorities may. */
  readonly noncesRefused?: number
  /** It looks after pauses at random, of seconds, as it does by default. */
  readonly pauses?: boolean
  /** Without it nobody gets an account. */
  readonly externalAccount?: ExternalAccount
}

export const pebble = programPath('pebble')

export async function startAcmeServer(options: AcmeServerOptions): Promise<AcmeServer> {
  const { dir, dnsServer, externalAccount = null, httpPort, httpsPort } = options
  const { noncesRefused = 0, pauses = false } = options
  const [port, managementPort] = [await ownPort(), await ownPort()]
  const certificateFile = join(dir, 'acme-server.pem')
  const config = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: certificateFile,
    privateKey: join(dir, 'acme-server.key'),
    httpPort,
    tlsPort: httpsPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: externalAccount !== null,
    ...(externalAccount && {
      externalAccountMACKeys: { [externalAccount.keyId]: externalAccount.key },
    }),
  }
  const configFile = join(dir, `pebble-${port}.json`)
  await Bun.write(certificateFile, loopbackCertificate)
  await Bun.write(config.privateKey, loopbackCertificateKey)
  await Bun.write(configFile, JSON.stringify({ pebble: config }))
  const child = Bun.spawn({
    cmd: [pebble ?? 'pebble', '-config', configFile, '-dnsserver', dnsServer],
    // It really looks.
    env: {
      ...(pauses ? { PEBBLE_VA_SLEEPTIME: '2' } : { PEBBLE_VA_NOSLEEP: '1' }),
      PEBBLE_VA_ALWAYS_VALID: '0',
      PEBBLE_WFE_NONCEREJECT: String(noncesRefused),
      PEBBLE_AUTHZREUSE: '0',
    },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let log = ''
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) log += decoder.decode(chunk, { stream: true })
  })()
  const count = (line: string): number => log.split(line).length - 1
  const root = await eventually(() => readRoot(managementPort))
  return {
    url: `https://127.0.0.1:${port}/dir`,
    certificateFile,
    root,
    orders: () => count('Added order '),
    issued: () => count('Issued certificate serial '),
    async statusOf(serial) {
      const answer = await manage(managementPort, `cert-status-by-serial/${serial}`)
      return ((await answer.json()) as { Status: string }).Status
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

const readRoot = async (managementPort: string): Promise<string> =>
  (await manage(managementPort, 'roots/0')).text()

const manage = (managementPort: string, path: string): Promise<Response> =>
  fetch(`https://127.0.0.1:${managementPort}/${path}`, { tls: { ca: loopbackCertificate } })
