import { type Servers, startServers } from './servers.ts'
import { type DevnetOptions, type Network, type Ready, settingsOf, writeFaults } from './start.ts'

/** Without what only a process of its own has. */
export type SharedDevnetOptions = Omit<DevnetOptions, 'logFile' | 'httpsNames'>

type Host = Servers<{ origin: string }>

let host: Promise<Host> | undefined

/**
 * As `startDevnet`, without a process of its own: the networks of this process run in one, because loading
 * the servers takes several times as long as starting a network. Throws DevnetStartError.
 */
export async function startSharedDevnet(options: SharedDevnetOptions): Promise<Network> {
  host ??= startHost()
  const { ready } = await host
  const settings = settingsOf(options)
  const network = await ask<Ready>(ready, 'PUT', settings)
  const stop = async (): Promise<void> => {
    await ask(ready, 'DELETE', { dir: settings.dir })
  }
  return {
    ...network,
    stop,
    setFaults: (faults) => writeFaults(settings.dir, faults),
    [Symbol.asyncDispose]: stop,
  }
}

async function startHost(): Promise<Host> {
  const started = await startServers<Host['ready']>({ script: 'serve-many.mjs', settings: {} })
  void started.exited.then(() => {
    host = undefined
  })
  return started
}

async function ask<Answer>(
  { origin }: Host['ready'],
  method: 'PUT' | 'DELETE',
  settings: object,
): Promise<Answer> {
  const response = await fetch(origin, { method, body: JSON.stringify(settings) })
  if (!response.ok) throw new Error(`devnet: ${await response.text()}`)
  return (await response.json()) as Answer
}
