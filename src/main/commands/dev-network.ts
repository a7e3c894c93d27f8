import { exists, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandOptions } from '#cli/program.ts'
import { StartError } from '#main/process/start-failure.ts'
import { assertCanListen } from './serve.ts'

/** The development network: a real PLC directory and a real account server on loopback. */
export type Devnet = Awaited<ReturnType<DevnetModule['startDevnet']>>

type DevnetModule = typeof import('../../../devnet/start.ts')
type ClientModule = typeof import('../../../devnet/app-client.ts')

// A separate package, not part of a production install: loaded on demand, hidden from the bundler.
async function load<T>(name: string): Promise<T> {
  const file = new URL(`../../../devnet/${name}`, import.meta.url)
  if (!(await exists(file))) {
    throw new StartError(
      'demo and dev need the devnet folder of the repository, which a production install does not carry',
    )
  }
  return (await import(file.href)) as T
}

/** Starts the network in `<dataDir>/devnet`, installing missing packages. Throws ConfigError if the service could not listen. */
export async function startDevNetwork(dataDir: string, options: CommandOptions): Promise<Devnet> {
  const { startDevnet } = await load<DevnetModule>('start.ts')
  const notYet = 'http://127.0.0.1'
  await assertCanListen(options, devSettings({ pds: notYet, plc: notYet }))
  const dir = join(dataDir, 'devnet')
  // Created here, because this error names the folder and the reason.
  await mkdir(dir, { recursive: true, mode: 0o700 })
  return await startDevnet({ dir })
}

export async function openAppClient(app: string) {
  const { AppClient } = await load<ClientModule>('app-client.ts')
  return new AppClient(app)
}

/** Settings for this network only: a `.env` may have the database and the addresses of the real one. */
export function devSettings({ pds, plc }: Pick<Devnet, 'pds' | 'plc'>): Record<string, string> {
  return {
    PLC_URL: plc,
    HANDLE_RESOLVER_URL: pds,
    FIREHOSE_URL: pds,
    RELAY_URL: pds,
    ALLOW_PRIVATE_HOSTS: '1',
    DATABASE_URL: '',
    SECRET_KEY: '',
    BASE_URL: '',
    BASE_DOMAIN: '',
    ASK_LISTEN: '',
    EDGE_PROCESSES: '',
  }
}
