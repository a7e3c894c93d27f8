import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import type { JobContext } from '#publish/jobs/job-context.ts'
import { runJobs } from '#publish/jobs/jobs.ts'
import { queueJob } from '#publish/jobs/queue-job.ts'
import { versionScope } from '#publish/new-version.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { SitePath } from '#site/path.ts'
import type { VersionRecord } from '#site/record/version-record.ts'
import { type Did, type SiteAddress, siteUri } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { recordVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { newVersion, newVersionRecord, siteOf } from '#tests/support/database/sample-rows.ts'
import { answerXrpc } from '#tests/support/servers/answer-xrpc.ts'
import { FakeRepo } from '#tests/support/servers/fake-repo.ts'

/** Publishing with all its queues, and account servers that are as slow as they like. */
export interface PublishPlane extends AsyncDisposable {
  /** Meets an account of this server, which takes `delayMs` to answer the methods that `isSlow` names. */
  meet(did: Did, server: AccountServer): Promise<void>
  queue(address: SiteAddress): Promise<string>
  /** Publishes a page; milliseconds from the upload to the commit. */
  publish(did: Did): Promise<number>
}

export interface AccountServer {
  readonly pds: string
  readonly delayMs?: number
  readonly isSlow?: (method: string) => boolean
}

export async function startPublishPlane(): Promise<PublishPlane> {
  await using opened = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-publishers-'))
  opened.defer(() => rm(dir, { recursive: true }))
  const { db } = await migrated(opened, dir)
  const servers = new Map<Did, AccountServer & { readonly repo: FakeRepo }>()
  const session = async (did: Did) => ({
    did,
    handle: async (path: string, init: RequestInit = {}) => {
      const { delayMs = 0, isSlow, repo } = servers.get(did) as AccountServer & { repo: FakeRepo }
      const method = /[a-zA-Z]+(?=$|\?)/.exec(path)?.[0] ?? ''
      if (isSlow?.(method)) await delay(delayMs, init.signal as AbortSignal)
      const answer = await answerXrpc(repo, path, init)
      if (method === 'applyWrites') await becomeLive(did, repo)
      return answer
    },
  })
  const written = new Map<Did, () => void>()
  // Nobody ingests here.
  const becomeLive = async (did: Did, repo: FakeRepo): Promise<void> => {
    written.get(did)?.()
    for (const { rkey, cid } of await repo.listRecords('place.sitehost.fs')) {
      const site = siteOf(rkey, did)
      const version = newVersion({ site, recordCid: cid, label: `${rkey}-${did.slice(-8)}` })
      await recordVersion(db, version, Date.now())
    }
    for (const { rkey, cid, value } of await repo.listRecords('place.sitehost.version')) {
      const { site, manifest = null } = value as VersionRecord
      const key = rkey as VersionKey
      const version = newVersionRecord(1, { did, key, cid, site, manifest })
      await recordVersionRecord(db, version, Date.now())
    }
    context.wakeUps.notify('changes')
  }
  const context: JobContext = {
    db,
    spool: new Spool(join(dir, 'spool')),
    blobs: diskBlobStore({ dir: join(dir, 'blobs') }),
    oauth: { scopeOf: async () => new Set([versionScope]), session },
    identities: { resolve: async (did) => ({ did, pds: servers.get(did)?.pds }) as never },
    wakeUps: new WakeUps(),
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    siteUrl: siteUri,
    labelUrl: (label) => `https://${label}.test/`,
    now: Date.now,
    at: () => {},
  }
  const stop = new AbortController()
  const running = runJobs(context, stop.signal)
  opened.defer(async () => {
    stop.abort(new Error('stopped'))
    await running
  })
  const queue = (address: SiteAddress) => queueUpload(address, context)
  const open = opened.move()
  return {
    async meet(did, server) {
      servers.set(did, { ...server, repo: new FakeRepo() })
      await upsertAccount(db, { did, pds: server.pds }, Date.now())
    },
    queue,
    async publish(did) {
      const { promise, resolve } = Promise.withResolvers<void>()
      written.set(did, resolve)
      const start = performance.now()
      await queue(siteOf('page', did))
      await promise
      return performance.now() - start
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function migrated(opened: AsyncDisposableStack, dir: string) {
  const database = opened.use(openDatabase({ file: join(dir, 'sitehost.db') }))
  await migrate(database)
  return database
}

async function queueUpload(address: SiteAddress, context: JobContext): Promise<string> {
  const id = crypto.randomUUID()
  await using folder = await context.spool.open(id)
  const content = (async function* () {
    yield Buffer.from(`a page of ${address.did}, ${id}`)
  })()
  const written = await folder.write(content, { bytesMax: 1e6 })
  const files = [{ path: 'index.html' as SitePath, ...written }]
  const upload = {
    siteName: address.name,
    files,
    skippedFiles: [],
    settings: null,
    isEmpty: false,
    retain: true,
  }
  await queueJob(id, address, upload, context)
  return id
}

async function delay(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const abort = (): void => {
    clearTimeout(timer)
    reject(signal.reason)
  }
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  await promise
}
