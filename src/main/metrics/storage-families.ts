import type { DiskFloor } from '#blobs/disk-floor.ts'
import type { Family } from '#observe/metrics.ts'
import type { DatabaseLoad, Db } from '#store/database/database.ts'
import { unfinishedJobs } from '#store/queues/queue-sizes.ts'
import { boundedRead } from './bounded-read.ts'

interface StorageOptions {
  readonly db: Db
  /** Of the threads, by name. */
  readonly loads: () => Readonly<Record<string, DatabaseLoad>>
  readonly databaseBytes: () => Promise<number>
  readonly floor: Pick<DiskFloor, 'space'>
}

/** Database, disk, and what of the database tells of jobs. */
export function storageFamilies({ db, databaseBytes, floor, loads }: StorageOptions): Family[] {
  const bytes = boundedRead('database size', databaseBytes)
  const jobs = boundedRead('jobs', () => unfinishedJobs(db))
  const space = boundedRead('disk space', () => floor.space())
  return [
    {
      name: 'sitehost_database_up',
      help: '1: the database answers.',
      kind: 'gauge',
      read: async () => [
        {
          value: await jobs().then(
            () => 1,
            () => 0,
          ),
        },
      ],
    },
    {
      name: 'sitehost_database_bytes',
      help: 'Size of the database.',
      kind: 'gauge',
      read: async () => [{ value: await bytes() }],
    },
    {
      name: 'sitehost_database_connections',
      help: 'Connections to the database by thread and state; waiting: statements without a connection.',
      kind: 'gauge',
      read: () =>
        Object.entries(loads()).flatMap(([thread, { idle, open, waiting }]) => [
          { labels: { thread, state: 'used' }, value: open - idle },
          { labels: { thread, state: 'idle' }, value: idle },
          { labels: { thread, state: 'waiting' }, value: waiting },
        ]),
    },
    {
      name: 'sitehost_jobs',
      help: 'Publishes that have not ended, by status.',
      kind: 'gauge',
      async read() {
        const counts = await jobs()
        return unfinishedStatuses.map((status) => ({
          labels: { status },
          value: counts.get(status) ?? 0,
        }))
      },
    },
    {
      name: 'sitehost_disk_free_bytes',
      help: 'Free space of the disk of DATA_DIR.',
      kind: 'gauge',
      read: async () => [{ value: (await space()).free }],
    },
    {
      name: 'sitehost_disk_size_bytes',
      help: 'Size of the disk of DATA_DIR.',
      kind: 'gauge',
      read: async () => [{ value: (await space()).total }],
    },
  ]
}

const unfinishedStatuses = ['pending', 'processing', 'uploading'] as const
