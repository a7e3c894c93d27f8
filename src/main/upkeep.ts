import type { DataOptions } from '#cli/program.ts'
import type { SyncContext } from '#ingest/sync-account.ts'
import { startLog } from '#observe/log.ts'
import { type Config, readConfig } from './config.ts'
import { openStores } from './stores.ts'
import { openWayOut } from './way-out.ts'

export interface Upkeep extends SyncContext {
  readonly config: Config
}

/**
 * What a command stands on that mends the data folder and ends. The service may run beside it: both work
 * from the same queues.
 */
export async function openUpkeep(
  { data }: DataOptions,
  signal: AbortSignal,
  opened: AsyncDisposableStack,
): Promise<Upkeep> {
  const config = readConfig({ LOG_LEVEL: 'error', ...(data !== undefined && { DATA_DIR: data }) })
  const log = opened.use(await startLog((line) => process.stderr.write(line), config.logLevel))
  const stores = await openStores({ config, log }, opened)
  const { fileBytesMax, siteBytesMax } = config
  return {
    ...{ config, log, signal, ...stores, ...openWayOut(config) },
    limits: { fileBytesMax, siteBytesMax },
    now: Date.now,
  }
}
