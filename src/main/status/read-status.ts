import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type DiskSpace, diskSpaceOf } from '#blobs/disk-floor.ts'
import { ifExists } from '#blobs/storage-calls.ts'
import { readLastBackup } from '#main/backup/last-backup.ts'
import type { Config } from '#main/config/config.ts'
import { bucketAnswers } from '#main/doctor/check-bucket.ts'
import { pidFileOf, type ServicePart } from '#main/process/data-lock.ts'
import project from '#package.json'
import type { Db } from '#store/database/database.ts'
import { databaseBytes } from '#store/database/database-bytes.ts'
import { countHosts } from '#store/log/count-hosts.ts'
import { listWorkingInstances, type WorkingInstance } from '#store/queues/instance-work.ts'
import { queueSizes, unfinishedJobs } from '#store/queues/queue-sizes.ts'
import { firehoseSeenAt } from '#store/sites/firehose-cursors.ts'
import { readTotals } from '#store/sites/totals.ts'
import { answersHttp3 } from './answers-http3.ts'
import { askService, type ServiceState } from './ask-service.ts'
import { type CertificateStatus, readCertificateStatus } from './certificate-status.ts'
import { serviceProcesses } from './service-processes.ts'

const dayMs = 24 * 60 * 60 * 1000

/** A process of the service. */
export interface ProcessStatus {
  readonly service: ServiceState
  /** Null: it does not run. */
  readonly startedAt: number | null
}

/** What there is to know of a service from outside of its process. Times in milliseconds. */
export interface Status extends ProcessStatus {
  /** Of this program. */
  readonly version: string
  /** The hosting part where it is a process of its own, apart from the application; null: the service is one process. */
  readonly hosting: ProcessStatus | null
  readonly accounts: number
  readonly sites: number
  /** Of the live versions, each file decoded. */
  readonly siteBytes: number
  readonly databaseBytes: number
  readonly disk: DiskSpace
  /** When an event of the network was last read; null: never. */
  readonly firehoseSeenAt: number | null
  readonly queues: {
    readonly sites: number
    readonly versions: number
    readonly accounts: number
    readonly parked: number
  }
  readonly jobs: number
  /** Hosts for which a TLS front was permitted one within the last day. */
  readonly certificates24h: number
  /** Those that the service shows itself; null: a TLS front keeps them. */
  readonly certificates: CertificateStatus | null
  /** That share the database; none where one process is all there is. */
  readonly instances: readonly WorkingInstance[]
  readonly lastBackupAt: number | null
  /** Whether the bucket of the blobs answers; null: they are in the data folder. */
  readonly bucketAnswers: boolean | null
  /** Whether the application is reached over HTTP/3; null: it is off. */
  readonly http3Answers: boolean | null
}

export async function readStatus(config: Config, db: Db, now: number): Promise<Status> {
  const { dataDir, databaseUrl } = config
  const totals = await readTotals(db)
  const { site, version, account } = await queueSizes(db, now)
  const jobs = await unfinishedJobs(db)
  const [service, hosting = null] = await readProcesses(config)
  const file = databaseUrl === undefined ? join(dataDir, 'sitehost.db') : null
  return {
    version: project.version,
    service: service?.service ?? 'stopped',
    startedAt: service?.startedAt ?? null,
    hosting,
    accounts: totals.accounts,
    sites: totals.live.sites,
    siteBytes: totals.live.bytes,
    databaseBytes: await databaseBytes(db, file),
    disk: await diskSpaceOf(dataDir),
    // A command may have another FIREHOSE_URL than the service.
    firehoseSeenAt: await firehoseSeenAt(db),
    queues: {
      sites: site.waiting,
      versions: version.waiting,
      accounts: account.waiting,
      parked: site.parked + version.parked + account.parked,
    },
    jobs: jobs.values().reduce((sum, count) => sum + count, 0),
    certificates24h: await countHosts(db, 'certificate_permitted', now - dayMs),
    certificates: await readCertificateStatus(config, db, now),
    instances: await listWorkingInstances(db),
    lastBackupAt: await readLastBackup(dataDir),
    bucketAnswers: await bucketAnswers(config),
    http3Answers: await http3Answers(config),
  }
}

async function http3Answers({ origin, tls }: Config): Promise<boolean | null> {
  return tls?.http3 ? await answersHttp3(tls.listen, new URL(origin).hostname) : null
}

/** Of the service, or of the application and the hosting part. */
async function readProcesses(config: Config): Promise<ProcessStatus[]> {
  const processes = await serviceProcesses(config)
  return await Promise.all(
    processes.map(async ({ address, part }) => {
      const service = await askService(address)
      const startedAt = service === 'stopped' ? null : await startOf(config.dataDir, part)
      return { service, startedAt }
    }),
  )
}

/** A process writes its id when it starts. */
async function startOf(dataDir: string, part: ServicePart): Promise<number | null> {
  const facts = await ifExists(stat(pidFileOf(dataDir, part)))
  return facts === null ? null : Math.round(facts.mtimeMs)
}
