import { join } from 'node:path'

/** The development network: a real PLC directory and a real account server on loopback. */
export type Devnet = Awaited<ReturnType<DevnetModule['startDevnet']>>

type DevnetModule = typeof import('../../devnet/start.ts')
type ClientModule = typeof import('../../devnet/app-client.ts')

// A package of its own that a production install does not carry: hidden from the bundler, and only
// loaded by the commands that need it.
const load = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../devnet/${name}`, import.meta.url).href)) as T

/** Starts the network that lives in `<dataDir>/devnet`, installing its packages when they are missing. */
export async function startDevNetwork(dataDir: string): Promise<Devnet> {
  const { startDevnet } = await load<DevnetModule>('start.ts')
  return await startDevnet({ dir: join(dataDir, 'devnet') })
}

export async function openAppClient(app: string) {
  const { AppClient } = await load<ClientModule>('app-client.ts')
  return new AppClient(app)
}

/** The settings that point the service at this network. */
export function devSettings({ pds, plc }: Devnet): Record<string, string> {
  return {
    PLC_URL: plc,
    HANDLE_RESOLVER_URL: pds,
    FIREHOSE_URL: pds,
    ALLOW_PRIVATE_HOSTS: '1',
  }
}
