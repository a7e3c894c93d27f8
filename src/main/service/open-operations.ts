import { join } from 'node:path'
import type { Hosting, Operations, ServiceProcess } from '#api/operations.ts'
import { readLastBackup } from '#main/backup/last-backup.ts'
import type { Config } from '#main/config/config.ts'
import type { EdgeProcesses } from '#main/supervisor/edge-processes.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import { GaugeHistory } from '#observe/series.ts'
import { databaseBytes } from '#store/database/database-bytes.ts'
import type { Stores } from './stores.ts'

interface OperationsOptions extends Pick<Stores, 'db' | 'floor'> {
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl'>
  readonly hosting: Hosting
  /** Null: this process is all there is. */
  readonly edges: Pick<EdgeProcesses, 'list'> | null
  readonly now: () => number
  readonly requests: RequestMetrics
  readonly version: string
}

/** What the administrator's area reads of this process, with what must be called once a minute. */
export function openOperations(
  options: OperationsOptions,
): Operations & { readonly endMinute: () => Promise<void> } {
  const { config, db, edges, floor, hosting, now, requests, version } = options
  const file = config.databaseUrl === undefined ? join(config.dataDir, 'sitehost.db') : null
  const disk = new GaugeHistory()
  const startedAt = now()
  return {
    version,
    startedAt,
    databaseBytes: () => databaseBytes(db, file),
    lastBackupAt: () => readLastBackup(config.dataDir),
    diskSpace: () => floor.space(),
    requests,
    diskPoints: (windowMs) => disk.since(now() - windowMs),
    hosting,
    processes: () => edges?.list ?? [ownProcess(startedAt)],
    endMinute: async () => {
      requests.endMinute()
      const { free } = await floor.space()
      disk.add({ at: now(), value: free })
    },
  }
}

const ownProcess = (startedAt: number): ServiceProcess => ({
  kind: 'service',
  pid: process.pid,
  startedAt,
  restarts: 0,
  residentBytes: process.memoryUsage.rss(),
})
