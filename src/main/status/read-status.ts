import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type DiskSpace, diskSpaceOf } from '#blobs/disk-floor.ts'
import { ifExists } from '#blobs/storage-calls.ts'
import { readLastBackup } from '#main/backup/last-backup.ts'
import type { Config } from '#main/config/config.ts'
import { readVersion } from '#main/process/version.ts'
import type { Db } from '#store/database/database.ts'
import { databaseBytes } from '#store/database/database-bytes.ts'
import { countHosts } from '#store/log/count-hosts.ts'
import { queueSizes, unfinishedJobs } from '#store/queues/queue-sizes.ts'
import { firehoseSeenAt } from '#store/sites/firehose-cursors.ts'
import { readTotals } from '#store/sites/totals.ts'
import { askService } from './ask-service.ts'

const dayMs = 24 * 60 * 60 * 1000

/** What there is to know of a service from outside of its process. Times in milliseconds. */
export interface Status {
  /** Of this program. */
  readonly version: string
  /** `unready`: it runs and says what it lacks. */
  readonly service: 'running' | 'unready' | 'stopped'
  /** Null: it does not run. */
  readonly startedAt: number | null
  readonly accounts: number
  readonly sites: number
  /** Of the live versions, each file decoded. */
  readonly siteBytes: number
  readonly databaseBytes: number
  readonly disk: DiskSpace
  /** When an event of the network was last read; null: never. */
  readonly firehoseSeenAt: number | null
  readonly queues: { readonly sites: number; readonly accounts: number; readonly parked: number }
  readonly jobs: number
  /** Hosts for which a TLS front was permitted one within the last day. */
  readonly certificates24h: number
  readonly lastBackupAt: number | null
}

export async function readStatus(config: Config, db: Db, now: number): Promise<Status> {
  const { dataDir, databaseUrl, firehoseUrl } = config
  const totals = await readTotals(db)
  const { site, account } = await queueSizes(db, now)
  const jobs = await unfinishedJobs(db)
  const service = await askService(config)
  const file = databaseUrl === undefined ? join(dataDir, 'sitehost.db') : null
  return {
    version: await readVersion(),
    service,
    startedAt: service === 'stopped' ? null : await startOf(dataDir),
    accounts: totals.accounts,
    sites: totals.live.sites,
    siteBytes: totals.live.bytes,
    databaseBytes: await databaseBytes(db, file),
    disk: await diskSpaceOf(dataDir),
    firehoseSeenAt: await firehoseSeenAt(db, firehoseUrl),
    queues: {
      sites: site.waiting,
      accounts: account.waiting,
      parked: site.parked + account.parked,
    },
    jobs: jobs.values().reduce((sum, count) => sum + count, 0),
    certificates24h: await countHosts(db, 'certificate_permitted', now - dayMs),
    lastBackupAt: await readLastBackup(dataDir),
  }
}

/** The service writes its process id when it starts. */
async function startOf(dataDir: string): Promise<number | null> {
  const facts = await ifExists(stat(join(dataDir, 'pid')))
  return facts === null ? null : Math.round(facts.mtimeMs)
}
