import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { startServing } from '#main/commands/serve.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { AppClient } from '../../devnet/app-client.ts'
import { startSharedDevnet } from '../../devnet/shared.ts'
import type { DevnetOptions, Network } from '../../devnet/start.ts'
import { createSession } from './accounts.ts'

/** A network and a service of a test's own: ports, folders and all. */
export interface World extends AsyncDisposable {
  readonly network: Network
  /** Origin of the application. */
  readonly app: string
  readonly dataDir: string
  readonly networkDir: string
  /** A browser that has never been here. */
  client(): AppClient
  /** One that is signed in as an account of the network. */
  signedIn(handle: string): Promise<AppClient>
  /** Starts the service again on the same data, with other settings if given; `meanwhile` it is down. */
  restart(environment?: Record<string, string>, meanwhile?: () => Promise<void>): Promise<void>
  /** Starts the network again on the same data and ports, with other settings if given. */
  restartNetwork(pdsEnv?: WorldOptions['pdsEnv']): Promise<void>
}

interface WorldOptions {
  readonly pdsEnv?: NonNullable<DevnetOptions['pdsEnv']>
  readonly environment?: Record<string, string>
  /** `network.setFaults` works. */
  readonly canFail?: boolean
  /** The account server writes its calls, for `countCalls`. */
  readonly countsCalls?: boolean
}

/** In the folder of a network that counts calls. */
export const callsFile = 'calls.txt'

/** Starts a world; dispose of it to stop everything and remove what it stored. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { pdsEnv, environment, canFail = false, countsCalls = false } = options
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-world-'))
  const dataDir = join(dir, 'sitehost')
  const networkDir = join(dir, 'devnet')
  const startNetwork = (changed: WorldOptions['pdsEnv'] = {}): Promise<Network> => {
    const settings = { dir: networkDir, canFail, pdsEnv: { ...pdsEnv, ...changed } }
    return startSharedDevnet(countsCalls ? { ...settings, callsFile } : settings)
  }
  let network = await startNetwork()
  let service = await startService(network, dataDir, await ownPort(), environment)

  return {
    get network() {
      return network
    },
    dataDir,
    networkDir,
    get app() {
      return service.app
    },
    client: () => new AppClient(service.app),
    async signedIn(handle) {
      const account = network.accounts.find((candidate) => candidate.handle === handle)
      if (account === undefined) throw new Error(`no account ${handle} on this network`)
      const client = new AppClient(service.app)
      const target = await client.signIn(handle, account.password)
      if (target.includes('error')) throw new Error(`sign-in of ${handle} led to ${target}`)
      return client
    },
    async restart(changed, meanwhile) {
      await service.stop()
      await meanwhile?.()
      const port = new URL(service.app).port
      service = await startService(network, dataDir, port, { ...environment, ...changed })
    },
    async restartNetwork(changed) {
      await network.stop()
      network = await startNetwork(changed)
    },
    async [Symbol.asyncDispose]() {
      await service.stop()
      await network.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** A world with alice signed in, in which tests also write to her repository as another program. */
export async function startWorldOfAlice(options: WorldOptions = {}) {
  const world = await startWorld(options)
  return {
    world,
    alice: await world.signedIn('alice.test'),
    repo: await createSession(world.network.pds, 'alice.test', 'hunter2pass'),
  }
}

async function startService(
  network: Network,
  data: string,
  port: string,
  environment: Record<string, string> = {},
) {
  const abort = new AbortController()
  const service = await startServing(
    { port, data },
    { LOG_LEVEL: 'error', SHUTDOWN_SECONDS_MAX: '0', ...devSettings(network), ...environment },
    abort.signal,
  )
  return {
    app: service.ready.app,
    async stop() {
      abort.abort()
      await service.stopped
    },
  }
}
