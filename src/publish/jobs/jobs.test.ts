import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Identity, IdentityError } from '#atproto/identity/identity.ts'
import { SessionEndedError } from '#atproto/oauth/oauth.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import type { Log } from '#observe/log.ts'
import { Spool } from '#publish/upload/spool.ts'
import { type Did, type SiteAddress, siteUri } from '#site/site-address.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { beginWriting, startNextJob } from '#store/queues/job-steps.ts'
import { createJob, findJob, type Job, listUnfinishedJobs } from '#store/queues/jobs.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, bob, newJob, siteOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { cancelJob } from './cancel-job.ts'
import type { JobContext } from './job-context.ts'
import { recoverJobs, runJobs } from './jobs.ts'
import { queueJob } from './queue-job.ts'

let dir: string
let database: Database
let context: JobContext
let stop: AbortController
let running: Promise<void> | undefined
let errors: string[]
let tick = 0
/** What happens to a job when it asks where its account lives, which is the first that it does. */
let onResolve: (did: Did) => Promise<Identity>

const log: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (message) => errors.push(message),
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'jobs-'))
  database = await memoryDatabase()
  stop = new AbortController()
  running = undefined
  errors = []
  context = {
    db: database.db,
    spool: new Spool(join(dir, 'spool')),
    blobs: diskBlobStore({ dir: join(dir, 'blobs') }),
    oauth: {
      scopeOf: async () => new Set(),
      session: (did) => Promise.reject(new SessionEndedError(did)),
    },
    identities: { resolve: (did) => onResolve(did) },
    wakeUps: new WakeUps(),
    log,
    siteUrl: siteUri,
    labelUrl: (label) => `https://${label}.test/`,
    // Two jobs of one millisecond have no order.
    now: () => Date.now() + tick++,
    at: () => {},
  }
})
afterEach(async () => {
  stop.abort()
  await running
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const start = (): void => {
  running = runJobs(context, stop.signal)
}

async function queue(address: SiteAddress): Promise<string> {
  const id = crypto.randomUUID()
  await context.spool.open(id)
  const upload = {
    siteName: address.name,
    files: [],
    skippedFiles: [],
    settings: null,
    isEmpty: false,
    retain: true,
  }
  expect(await queueJob(id, address, upload, context)).toEqual({ created: true })
  return id
}

const statusOf = async (id: string): Promise<Job['status'] | undefined> =>
  (await findJob(context.db, id))?.status
const spooled = (): Promise<string[]> => readdir(join(dir, 'spool'))

test('a failure is reported to its owner, frees the spool, and the next job runs', async () => {
  onResolve = (did) => Promise.reject(new IdentityError(did, 'away'))
  start()
  const [first, second] = [await queue(siteOf('a')), await queue(siteOf('b'))]
  for (const id of [first, second]) {
    await eventually(async () => expect(await statusOf(id)).toBe('failed'))
    expect((await findJob(context.db, id))?.error).toContain('did not answer')
  }
  await eventually(async () => expect(await spooled()).toEqual([]))
})

test('a job whose plan an old version wrote so that nobody can read it any more says so', async () => {
  const id = crypto.randomUUID()
  await context.spool.open(id)
  await createJob(context.db, newJob({ id, plan: '{"files":1}' }), { queuedMax: 5, now: 1 })
  start()
  await eventually(async () => expect(await statusOf(id)).toBe('failed'))
  expect((await findJob(context.db, id))?.error).toBe(
    'The upload was interrupted. Nothing was published; try again.',
  )
  await eventually(async () => expect(await spooled()).toEqual([]))
})

test('a job that has ended takes no room from the next upload of its owner', async () => {
  const spool = new Spool(join(dir, 'spool'), { bytesMax: 1200 })
  const claim = { owner: alice, isSmall: true, isNewcomer: false, server: null, arrival: null }
  const after: Promise<unknown>[] = []
  context = {
    ...context,
    spool,
    at: (point) => {
      if (point === 'after-finish') after.push(spool.reserve(crypto.randomUUID(), 400, claim))
    },
  }
  onResolve = (did) => Promise.reject(new IdentityError(did, 'away'))
  const id = await queue(siteOf('a'))
  await spool.hold(id, 1, claim)
  start()
  await eventually(async () => expect(await statusOf(id)).toBe('failed'))
  await eventually(async () => expect(after).toHaveLength(1))
  await Promise.all(after)
})

test('a defect of ours is logged, and told without its details', async () => {
  onResolve = () => Promise.reject(new TypeError('x is undefined'))
  start()
  const id = await queue(siteOf('a'))
  await eventually(async () => expect(await statusOf(id)).toBe('failed'))
  const error = (await findJob(context.db, id))?.error
  expect(error).toContain(id)
  expect(error).not.toContain('undefined')
  expect(errors).toEqual(['publish failed'])
})

test('an account has one running job, others do not wait for it', async () => {
  const started: Did[] = []
  const gate = Promise.withResolvers<Identity>()
  onResolve = (did) => {
    started.push(did)
    return gate.promise
  }
  const ids = [await queue(siteOf('a')), await queue(siteOf('b')), await queue(siteOf('a', bob))]
  start()
  await eventually(async () => expect(started).toHaveLength(2))
  expect(started.toSorted()).toEqual([alice, bob])
  expect(await Promise.all(ids.map(statusOf))).toEqual(['processing', 'pending', 'processing'])
  gate.reject(new IdentityError(alice, 'away'))
  await eventually(async () => expect(await listUnfinishedJobs(context.db)).toEqual([]))
  expect(started).toHaveLength(3)
})

test('four jobs run at once, the fifth waits', async () => {
  const started = new Set<Did>()
  const gate = Promise.withResolvers<Identity>()
  onResolve = (did) => {
    started.add(did)
    return gate.promise
  }
  for (const letter of 'abcde') await queue(siteOf('s', `did:plc:${letter.repeat(24)}`))
  start()
  await eventually(async () => expect(started.size).toBe(4))
  gate.reject(new IdentityError(alice, 'away'))
  await eventually(async () => expect(started.size).toBe(5))
})

test('at the start, what was interrupted goes back into the queue, unless its files are gone', async () => {
  const interrupted = await queue(siteOf('a'))
  await startNextJob(context.db, alice, 1)
  const waiting = await queue(siteOf('b'))
  const lost = await queue(siteOf('c'))
  await context.spool.remove(lost)
  await context.spool.open(crypto.randomUUID())
  await recoverJobs(context)
  expect(await Promise.all([interrupted, waiting, lost].map(statusOf))).toEqual([
    'pending',
    'pending',
    'failed',
  ])
  expect((await findJob(context.db, lost))?.error).toBe(
    'The upload was interrupted. Nothing was published; try again.',
  )
  expect((await spooled()).sort()).toEqual([interrupted, waiting].sort())
})

const cancel = async (id: string) => {
  const job = await findJob(context.db, id)
  if (job === null) throw new Error(`no job ${id}`)
  return await cancelJob(job, context)
}

test('a waiting job is cancelled at once, its files with it', async () => {
  const id = await queue(siteOf('a'))
  expect(await cancel(id)).toBe('cancelled')
  expect(await findJob(context.db, id)).toMatchObject({
    status: 'failed',
    error: 'The upload was cancelled. Nothing was published.',
  })
  expect(await spooled()).toEqual([])
  expect(await cancel(id)).toBe('ended')
})

test('a running job that was cancelled ends, keeps its sentence, and frees its files', async () => {
  const gate = Promise.withResolvers<Identity>()
  onResolve = () => gate.promise
  start()
  const id = await queue(siteOf('a'))
  await eventually(async () => expect(await statusOf(id)).toBe('processing'))
  expect(await cancel(id)).toBe('cancelled')
  gate.reject(new IdentityError(alice, 'away'))
  await eventually(async () => expect(await spooled()).toEqual([]))
  expect((await findJob(context.db, id))?.error).toContain('cancelled')
})

test('a job that is writing its record cannot be cancelled any more', async () => {
  const id = await queue(siteOf('a'))
  await startNextJob(context.db, alice, 1)
  await beginWriting(context.db, id, 2)
  expect(await cancel(id)).toBe('too-late')
  expect(await statusOf(id)).toBe('processing')
})

test('the next site of the same name is refused while one waits', async () => {
  await queue(siteOf('a'))
  const upload = {
    siteName: siteOf('a').name,
    files: [],
    skippedFiles: [],
    settings: null,
    isEmpty: false,
    retain: true,
  }
  expect(await queueJob(crypto.randomUUID(), siteOf('a'), upload, context)).toEqual({
    created: false,
    reason: 'same-site-running',
  })
})
