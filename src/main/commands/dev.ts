import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandOptions } from '#cli/program.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import { childEnvironment } from '#main/config/config.ts'
import { printReady, readReady } from '#main/process/ready-line.ts'
import { devSettings, startDevNetwork } from './dev-network.ts'
import { devDataDir } from './network-data-dirs.ts'

/** The modules themselves, which Bun watches. */
const programFile = fileURLToPath(new URL('../program.ts', import.meta.url))

/** The service on a development network, in a child process that restarts when its code changes. */
export async function runDev(options: CommandOptions, signal: AbortSignal): Promise<void> {
  const data = options.data ?? devDataDir
  await using network = await startDevNetwork(data, options)
  const child = Bun.spawn({
    cmd: [
      process.execPath,
      '--watch',
      '--no-clear-screen',
      programFile,
      'serve',
      ...flagsOf(options),
    ],
    env: childEnvironment({
      ...devSettings(network),
      DATA_DIR: join(data, 'sitehost'),
      SHUTDOWN_SECONDS_MAX: '5',
      WEB_RELOAD: '1',
    }),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const stop = (): void => child.kill('SIGTERM')
  using _ = onAbort(signal, stop)
  const ready = await readReady(child.stdout)
  if (ready !== null) {
    const { pds, plc, accounts } = network
    printReady({ ...(ready as object), pds, plc, accounts, sites: [] })
  }
  await Promise.race([child.exited, network.exited])
  stop()
  const exitCode = await child.exited
  if (!signal.aborted) process.exitCode = exitCode || 1
}

function flagsOf({ port, baseUrl, baseDomain }: CommandOptions): string[] {
  const flags = { '--port': port, '--base-url': baseUrl, '--base-domain': baseDomain }
  return Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, value],
  )
}
