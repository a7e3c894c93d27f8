import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Identities } from '#atproto/identity/identity.ts'
import { RecentBlocks } from '#atproto/repo/recent-blocks.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { RecentTrees } from '#ingest/read/recent-trees.ts'
import { RecentVersions } from '#ingest/read/recent-versions.ts'
import type { SyncContext } from '#ingest/sync-account.ts'
import type { Log } from '#observe/log.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import type { Database, Db } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { type FakePds, startFakePds } from '#tests/support/servers/fake-pds.ts'

/** All that ingest stands on, real, beside an account server that can be made to lie. */
export interface IngestPlace extends AsyncDisposable {
  readonly pds: FakePds
  readonly blobsDir: string
  readonly context: SyncContext & { readonly identities: Identities }
  /** Settable. */
  now: number
  /** What was logged, without its fields. */
  readonly logged: string[]
  readonly stop: AbortController
  /** Alice writes a site, of files with these contents. */
  write(name: string, files?: Readonly<Record<string, string>>): Promise<string>
}

/** On a store in memory, unless another one is given. */
export async function openIngestPlace(db?: Db): Promise<IngestPlace> {
  const dir = await mkdtemp(join(tmpdir(), 'ingest-'))
  const database = db === undefined ? await memoryDatabase() : null
  const pds = await startFakePds(alice)
  const fetch = createSafeFetch({ allowPrivate: true })
  const stop = new AbortController()
  const logged: string[] = []
  const log = (message: string): void => void logged.push(message)
  const place: IngestPlace = {
    ...{ pds, logged, stop },
    blobsDir: join(dir, 'blobs'),
    now: 1_000_000,
    context: {
      db: db ?? (database as Database).db,
      blobs: diskBlobStore({ dir: join(dir, 'blobs') }),
      wakeUps: new WakeUps(),
      log: { debug: log, info: log, warn: log, error: log } satisfies Log,
      identities: new Identities({ fetch, plcUrl: pds.url, allowHttp: true }),
      fetch,
      ...ingestMemory(),
      limits: { fileBytesMax: 10_000, siteBytesMax: 100_000 },
      now: () => place.now,
      signal: stop.signal,
    },
    write: (name, files = { 'index.html': name }) =>
      pds.putRecord(`place.sitehost.fs/${name}`, manifestOf(name, files, pds)),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await pds[Symbol.asyncDispose]()
      await database?.[Symbol.asyncDispose]()
      await rm(dir, { recursive: true })
    },
  }
  return place
}

/** What the process of ingest remembers for a minute. */
export const ingestMemory = () => ({
  recentBlocks: new RecentBlocks(),
  recentTrees: new RecentTrees(),
  recentVersions: new RecentVersions(),
})

/** A record whose blobs this server has. */
export function manifestOf(
  site: string,
  files: Readonly<Record<string, string>>,
  pds: FakePds,
): object {
  const entries = Object.entries(files).map(([name, content]) => ({
    name,
    node: { type: 'file', blob: pds.addBlob(content), mimeType: 'text/html' },
  }))
  return {
    $type: 'place.sitehost.fs',
    site,
    root: { type: 'directory', entries },
    createdAt: '2026-01-01T00:00:00.000Z',
  }
}
