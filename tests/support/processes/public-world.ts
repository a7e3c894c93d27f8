import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import type { Did } from '#site/site-address.ts'
import { openPublicNames, type PublicNames } from '#tests/support/servers/https-names.ts'
import { AppClient } from '../../../devnet/app-client.ts'
import { type Devnet, type DevnetOptions, startDevnet } from '../../../devnet/start.ts'
import { ownPort } from './own-port.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

export const publicOrigin = 'https://sitehost.home.arpa'
const applicationName = 'sitehost.home.arpa'
const pdsName = 'pds.home.arpa'

/** A service in a process of its own at a public address, and a network, reached by https. */
export interface PublicWorld extends AsyncDisposable {
  readonly names: PublicNames
  readonly network: Devnet
  readonly networkDir: string
  /** Of the service, for commands that run beside it. */
  readonly environment: Readonly<Record<string, string>>
  readonly secret: string
  /** A browser that has never been here. */
  client(): AppClient
  /** One that is signed in. */
  signedIn(handle: string): Promise<AppClient>
  didOf(handle: string): Did
  /** What a service remembers in memory is gone; it is at the same address again. */
  restartService(): Promise<void>
  /** The same of the account server, which remembers for ten minutes what it has read of clients. */
  restartNetwork(): Promise<void>
}

interface PublicWorldOptions {
  /** The account server too has a public name. */
  readonly httpsPds?: boolean
  /** Lets `network.setFaults` make calls to it go wrong. */
  readonly canFail?: boolean
  /** Somebody who has certificates of his own stands before the service. */
  readonly front?: Front
}

interface Front {
  /** Host of the application. */
  readonly appHost: string
  readonly baseDomain: string
  /** What signs its certificates, PEM. */
  readonly root: string
  readonly httpsPort: number
}

export async function startPublicWorld(options: PublicWorldOptions = {}): Promise<PublicWorld> {
  const { httpsPds = false, canFail = false, front } = options
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-public-'))
  const networkDir = join(dir, 'devnet')
  const secret = 'a secret of thirty-two characters'
  const names = await openPublicNames(front && [front.root])
  const origin = front ? `https://${front.appHost}` : publicOrigin
  const networkOptions: DevnetOptions = {
    ...{ dir: networkDir, logFile: 'pds.log', httpsNames: names.options, canFail },
    ...(httpsPds && { pdsEnv: { hostname: pdsName } }),
  }
  let network = await startDevnet(networkOptions)
  if (httpsPds) names.lead(pdsName, Number(new URL(network.pds).port))
  const port = await ownPort()
  if (front) names.leadTls(front.appHost, front.httpsPort)
  else names.lead(applicationName, Number(port))
  const environment = {
    ...names.environment,
    ...devSettings(network),
    BASE_URL: origin,
    BASE_DOMAIN: front?.baseDomain ?? 'sites.home.arpa',
    PORT: port,
    ASK_LISTEN: `127.0.0.1:${await ownPort()}`,
    DATA_DIR: join(dir, 'data'),
    SECRET_KEY: secret,
    INSTANCE_NAME: 'Public Sites',
    TERMS_URL: 'https://terms.home.arpa/',
    PRIVACY_URL: 'https://privacy.home.arpa/',
    LOGO_FILE: join(import.meta.dir, '../../../web/favicon.svg'),
    LOG_LEVEL: 'warning',
  }
  let service: ServiceProcess = await startServiceProcess(['serve'], environment)
  const client = () => new AppClient(origin, names.fetch)

  return {
    ...{ names, networkDir, environment, secret, client },
    get network() {
      return network
    },
    async signedIn(handle) {
      const browser = client()
      const target = await browser.signIn(handle, 'hunter2pass')
      if (target.includes('error')) throw new Error(`sign-in of ${handle} led to ${target}`)
      return browser
    },
    didOf(handle) {
      return network.accounts.find((account) => account.handle === handle)?.did as Did
    },
    async restartService() {
      await service.end('SIGTERM')
      service = await startServiceProcess(['serve'], environment)
    },
    async restartNetwork() {
      await network.stop()
      network = await startDevnet(networkOptions)
    },
    async [Symbol.asyncDispose]() {
      await service.end('SIGTERM')
      await network.stop()
      await names[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
