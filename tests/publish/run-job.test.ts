import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ListedRecord } from '#atproto/repo/account-repo.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { DiskFloor } from '#blobs/disk-floor.ts'
import { SemaphoreBusyError } from '#concurrency/semaphore.ts'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import { jobMsMaxDefault } from '#publish/job-attempts.ts'
import { cancelJob } from '#publish/jobs/cancel-job.ts'
import type { JobContext } from '#publish/jobs/job-context.ts'
import type { JobPlan } from '#publish/jobs/job-plan.ts'
import { recoverJobs, runJobs } from '#publish/jobs/jobs.ts'
import { queueJob, queuePlan } from '#publish/jobs/queue-job.ts'
import {
  newVersion,
  noPreviewScopeSentence,
  noScopeSentence,
  unreadVersionSentence,
  versionScope,
} from '#publish/new-version.ts'
import { ownFaultOf } from '#publish/publish-failure.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SitePath } from '#site/path.ts'
import type { VersionRecord } from '#site/record/version-record.ts'
import { type Did, type SiteAddress, siteUri } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { migrate } from '#store/database/migrate.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob, findJob, type Job } from '#store/queues/jobs.ts'
import {
  type NewVersionRecord,
  recordVersionRecord,
} from '#store/sites/version-records/record-version-record.ts'
import {
  endConnections,
  memoryDatabase,
  onEachDatabase,
} from '#tests/support/database/databases.ts'
import { accountOf, alice, newVersionRecord, siteOf } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { answerXrpc } from '#tests/support/servers/answer-xrpc.ts'
import { FakeRepo } from '#tests/support/servers/fake-repo.ts'
import { type LoggedLine, recordingLog } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'

// What jobs do whose servers let them wait.

let dir: string
let database: Database
let context: JobContext
let lines: LoggedLine[]
let stop: AbortController
let running: Promise<void> | undefined
let aheadMs: number
/** By the account's server. */
let granted: Set<string>
/** By account. */
let servers: Map<Did, Server>
/** What a server answers; `honest` is what it would if all were well. */
let answer: (call: Call) => Promise<Response>

interface Server {
  readonly repo: FakeRepo
  /** What it was asked, such as `uploadBlob`. */
  readonly asked: string[]
}

interface Call {
  readonly did: Did
  readonly method: string
  readonly signal: AbortSignal
  readonly honest: () => Promise<Response>
}

function serverOf(did: Did): Server {
  const server = servers.get(did) ?? { repo: new FakeRepo(), asked: [] }
  servers.set(did, server)
  return server
}

beforeEach(async () => {
  lines = []
  dir = await mkdtemp(join(tmpdir(), 'run-job-'))
  database = await memoryDatabase()
  stop = new AbortController()
  running = undefined
  aheadMs = 0
  granted = new Set([versionScope])
  servers = new Map()
  answer = ({ honest }) => honest()
  const handle =
    (did: Did) =>
    async (path: string, init: RequestInit = {}) => {
      const { repo, asked } = serverOf(did)
      const method = /[a-zA-Z]+(?=$|\?)/.exec(path)?.[0] ?? ''
      asked.push(method)
      const signal = init.signal as AbortSignal
      return await answer({ did, method, signal, honest: () => answerXrpc(repo, path, init) })
    }
  context = {
    db: database.db,
    spool: new Spool(join(dir, 'spool')),
    blobs: diskBlobStore({ dir: join(dir, 'blobs') }),
    oauth: {
      scopeOf: async () => granted,
      session: async (did) => ({ did, handle: handle(did) }),
    },
    identities: { resolve: async (did) => ({ did, pds: 'https://pds.test' }) as never },
    wakeUps: new WakeUps(),
    log: recordingLog(lines),
    siteUrl: siteUri,
    labelUrl: (label) => `https://${label}.test/`,
    now: () => Date.now() + aheadMs,
    elapsed: () => Date.now() + aheadMs,
    at: () => {},
    slowAfterMs: 50,
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

/** So much later, whoever waits looks again. */
function pass(ms: number): void {
  aheadMs += ms
  for (const topic of ['jobs', 'ingested'] as const) context.wakeUps.notify(topic)
}

async function queue(address: SiteAddress, texts = ['a page']): Promise<string> {
  const id = crypto.randomUUID()
  const upload = {
    siteName: address.name,
    files: await spooled(id, texts),
    skippedFiles: [],
    settings: null,
    isEmpty: false,
    retain: true,
  }
  expect(await queueJob(id, address, upload, context)).toEqual({ created: true })
  return id
}

async function spooled(id: string, texts: readonly string[]): Promise<UploadedFile[]> {
  const files: UploadedFile[] = []
  await using folder = await context.spool.open(id)
  for (const [n, text] of texts.entries()) {
    const bytes = (async function* () {
      yield Buffer.from(text)
    })()
    files.push({
      path: `${n}.txt` as SitePath,
      ...(await folder.write(bytes, { bytesMax: 1e6 })),
    })
  }
  return files
}

async function queuePreview(address: SiteAddress): Promise<string> {
  const id = crypto.randomUUID()
  const preview = { alias: 'pr-12', expiresAt: new Date(Date.now() + 60_000).toISOString() }
  const plan: JobPlan = {
    files: await spooled(id, ['a page']),
    skippedFiles: [],
    retain: true,
    changes: null,
    settings: null,
    version: { ...newVersion(Date.now()), preview },
  }
  const queued = await queuePlan({ id, plan, expectedCid: null }, address, createJob, context)
  expect(queued).toEqual({ created: true })
  return id
}

const jobOf = async (id: string): Promise<Job> => (await findJob(context.db, id)) as Job
const sites = (did: Did): string[] => serverOf(did).repo.keys('place.sitehost.fs')
const askedFor = (method: string, did: Did = alice): number =>
  serverOf(did).asked.filter((each) => each === method).length

/** Ends only with the call. */
function never(signal: AbortSignal): Promise<Response> {
  const { promise, reject } = Promise.withResolvers<Response>()
  signal.addEventListener('abort', () => reject(signal.reason))
  return promise
}

const limited = async (retryAt: number): Promise<Response> =>
  Response.json(
    { error: 'RateLimitExceeded' },
    { status: 429, headers: { 'ratelimit-reset': String(retryAt / 1000) } },
  )

/** How much faster time passes while a job is worked on: slowly enough that its own time, or its lane's, is not up before. */
const paceWhileWorking = 25
const stepMsMax = 2_000

/** Looks until nothing is to come, and returns the job as it ended. Time passes at once where the job waits. */
async function ended(id: string): Promise<Job> {
  let lookedAt = Date.now()
  return await eventually(async () => {
    const { dueAt, finishedAt } = await jobOf(id)
    const worked = Math.min((Date.now() - lookedAt) * paceWhileWorking, stepMsMax)
    lookedAt = Date.now()
    pass(Math.max((dueAt ?? 0) - context.now(), worked))
    expect(finishedAt).not.toBeNull()
    return await jobOf(id)
  })
}

describe('four accounts whose servers', () => {
  const cases: [string, typeof answer][] = [
    ['take no more for now', () => limited(Date.now() + 60_000)],
    ['never answer', ({ signal }) => never(signal)],
    ...['uploadBlob', 'applyWrites'].map((slow): [string, typeof answer] => [
      `never answer ${slow}`,
      ({ method, signal, honest }) => (method === slow ? never(signal) : honest()),
    ]),
  ]
  test.each(cases)('%s: a fifth publishes meanwhile', async (_, slow) => {
    answer = (call) => (call.did === alice ? call.honest() : slow(call))
    const others = [1, 2, 3, 4].map(accountOf)
    start()
    const ids = await Promise.all(others.map((did) => queue(siteOf('slow', did))))
    await eventually(async () => {
      for (const did of others) expect(serverOf(did).asked).not.toBeEmpty()
    })
    await queue(siteOf('quick'))
    await eventually(async () => expect(sites(alice)).toEqual(['quick']))
    for (const id of ids) expect(await jobOf(id)).toMatchObject({ finishedAt: null })
  })
})

test('however many accounts wait for servers that never answer, one with a quick server is next', async () => {
  answer = (call) => (call.did === alice ? call.honest() : never(call.signal))
  const pdsOf = (did: Did): string => `https://${did === alice ? 'quick' : 'slow'}.test`
  context = {
    ...context,
    identities: { resolve: async (did) => ({ did, pds: pdsOf(did) }) as never },
    // Nobody becomes slow here, on a slow machine neither (tests/concurrency/lanes-fairness: who does).
    slowAfterMs: 3_600_000,
  }
  const others = Array.from({ length: 20 }, (_, n) => accountOf(n))
  for (const did of [alice, ...others]) await upsertAccount(context.db, { did, pds: pdsOf(did) }, 1)
  for (const did of others) {
    await queue(siteOf('one', did))
    await queue(siteOf('two', did))
  }
  start()
  const tried = (): number => others.filter((did) => serverOf(did).asked.length > 0).length
  // The share of their server.
  await eventually(async () => expect(tried()).toBe(3))
  await queue(siteOf('quick'))
  await eventually(async () => expect(sites(alice)).toEqual(['quick']))
  expect(tried()).toBe(3)
})

describe('the version that a job keeps', () => {
  const versionsOf = () => serverOf(alice).repo.keys('place.sitehost.version')

  test('is in its result, without its address until it is read', async () => {
    start()
    const { result } = await ended(await queue(siteOf('blog')))
    expect(versionsOf()).toEqual([result?.versionId ?? ''])
    expect(result).toMatchObject({ versionUrl: null, versionProblem: unreadVersionSentence })
    const queued = await workRows(context.db, 'version')
    expect(queued.map(({ site }) => String(site))).toEqual(versionsOf())
  })

  /** Ingest stores the job's version as soon as it is written. */
  async function ingested(facts: Partial<NewVersionRecord> = {}, queued = queue): Promise<Job> {
    start()
    const id = await queued(siteOf('blog'))
    const [stored] = await eventually(async () => {
      const listed = await serverOf(alice).repo.listRecords('place.sitehost.version')
      expect(listed).toHaveLength(1)
      return listed
    })
    const { rkey, value } = stored as ListedRecord
    await upsertAccount(context.db, { did: alice }, 1)
    const record = { ...(value as VersionRecord), key: rkey as VersionKey }
    const { key, manifest = null } = record
    await recordVersionRecord(context.db, newVersionRecord(1, { key, manifest, ...facts }), 1)
    return await ended(id)
  }

  test('has its address in the result once it is read', async () => {
    const { result } = await ingested()
    expect(result?.versionUrl).toMatch(/^https:\/\/v--[a-z2-7]{26}\.test\/$/)
    expect(result?.versionProblem).toBeNull()
  })

  test('has none while only an earlier state of its record is read', async () => {
    const { result } = await ingested({ manifest: null })
    expect(result).toMatchObject({ versionUrl: null, versionProblem: unreadVersionSentence })
  })

  test('has none when ingest refuses it, and the result says why', async () => {
    const problems = ['Delete older versions.']
    const { result } = await ingested({ label: null, snapshot: null, problems })
    expect(result).toMatchObject({ success: true, versionUrl: null })
    expect(result?.versionProblem).toEndWith('has no address here: Delete older versions.')
  })

  test('may be a preview: only its record is written, and it is live at its own address', async () => {
    const { result } = await ingested({}, queuePreview)
    expect([sites(alice), await workRows(context.db, 'site')]).toEqual([[], []])
    expect(versionsOf()).toEqual([result?.versionId ?? ''])
    expect(result).toMatchObject({ live: true, versionProblem: null })
    expect(result?.versionUrl).toMatch(/^https:\/\/v--/)
    expect(result?.previewUrl).toMatch(/^https:\/\/pr-12--[a-z2-7]{26}\.test\/$/)
  })

  test('is not live as a preview that was not read in time', async () => {
    start()
    const { result } = await ended(await queuePreview(siteOf('blog')))
    expect(result).toMatchObject({ live: false, versionUrl: null, previewUrl: null })
  })

  test('fails as a preview that ingest refuses', async () => {
    const problems = ['a part is missing']
    const { error } = await ingested({ label: null, snapshot: null, problems }, queuePreview)
    expect(error).toEndWith('cannot be served: a part is missing.')
  })

  test('fails as a preview of a session that was not granted one, and nothing goes live', async () => {
    granted = new Set()
    start()
    const { error } = await ended(await queuePreview(siteOf('blog')))
    expect(error).toBe(noPreviewScopeSentence)
    expect([sites(alice), versionsOf()]).toEqual([[], []])
  })

  test('has the same key in every attempt', async () => {
    let refusals = 1
    answer = ({ method, honest }) =>
      method === 'applyWrites' && refusals-- > 0 ? limited(Date.now() + 60_000) : honest()
    start()
    const { result } = await ended(await queue(siteOf('blog')))
    expect(versionsOf()).toEqual([result?.versionId ?? ''])
  })

  test('is none of a session that was not granted one, and the result says what to do', async () => {
    granted = new Set()
    start()
    const { result } = await ended(await queue(siteOf('blog')))
    expect(sites(alice)).toEqual(['blog'])
    expect(versionsOf()).toEqual([])
    expect(result).toMatchObject({
      ...{ versionId: null, versionUrl: null, versionProblem: noScopeSentence },
    })
  })
})

test('each end is one line, with whose job it was, of which site and at which server', async () => {
  const facts = { did: alice, site: 'blog', server: 'pds.test' }
  const line = (message: string) => lines.find((logged) => logged.message === message)
  start()
  const published = await queue(siteOf('blog'), ['one', 'two'])
  // Nobody ingests here, so whoever waits until it is live waits for its time to be up.
  await ended(published)
  await eventually(async () => expect(line('publish ended')).toBeDefined())
  expect(line('publish ended')).toMatchObject({
    level: 'info',
    fields: {
      ...facts,
      event: 'publish_ended',
      job: published,
      files: 2,
      bytes: 6,
      seconds: expect.any(Number),
    },
  })
  answer = async () => new Response('', { status: 403 })
  const failed = await queue(siteOf('blog'), ['three'])
  await eventually(async () => expect(line('publish failed')).toBeDefined())
  expect(line('publish failed')?.fields).toMatchObject({
    job: failed,
    ...facts,
    reason: expect.any(String),
  })
})

test('a server that takes no more for now is asked again when it does, for the rest', async () => {
  let left = 1
  const retryAt = context.now() + 60_000
  answer = ({ method, honest }) =>
    method === 'uploadBlob' && left-- <= 0 ? limited(retryAt) : honest()
  const id = await queue(siteOf('blog'), ['one', 'two', 'three'])
  start()
  await eventually(async () => {
    expect(await jobOf(id)).toMatchObject({ status: 'pending', dueAt: retryAt })
  })
  expect((await jobOf(id)).progress.filesUploaded).toBe(1)
  left = 2
  const { result } = await ended(id)
  expect(result).toMatchObject({ uploadedCount: 3, reusedCount: 0 })
  expect(sites(alice)).toEqual(['blog'])
  await eventually(async () => expect(await readdir(join(dir, 'spool'))).toEqual([]))
})

test('a limit that outlasts the time of a job is reported at once', async () => {
  answer = () => limited(Date.now() + 3 * 3_600_000)
  const id = await queue(siteOf('blog'))
  start()
  await eventually(async () => {
    expect((await jobOf(id)).error).toMatch(/takes no more uploads until .* GMT/)
  })
})

test('what is sent slowly is sent once, and written by the next attempt', async () => {
  const gate = Promise.withResolvers<void>()
  answer = async ({ method, honest }) => {
    if (method === 'uploadBlob') await gate.promise
    return await honest()
  }
  const owners = [1, 2, 3, 4, 5].map(accountOf)
  const ids = await Promise.all(owners.map((did) => queue(siteOf('blog', did), ['one', 'two'])))
  start()
  // With four lanes, five send only when one has gone aside.
  await eventually(async () => {
    for (const did of owners) expect(askedFor('uploadBlob', did)).toBe(2)
  })
  gate.resolve()
  for (const id of ids) {
    expect((await ended(id)).result).toMatchObject({ uploadedCount: 2, reusedCount: 0 })
  }
  for (const did of owners) {
    expect([askedFor('uploadBlob', did), askedFor('applyWrites', did)]).toEqual([2, 1])
  }
})

test('an attempt leaves nothing in the spool but what was there', async () => {
  answer = ({ method, honest }) =>
    method === 'uploadBlob' ? limited(Date.now() + 60_000) : honest()
  const id = await queue(siteOf('blog'), ['a page, again and again\n'.repeat(20_000)])
  const before = await (await context.spool.open(id)).bytesOnDisk()
  start()
  await eventually(async () => expect((await jobOf(id)).dueAt).not.toBeNull())
  expect(await (await context.spool.open(id)).bytesOnDisk()).toBe(before)
})

test('a job whose time is up says so; the next one sends the rest', async () => {
  context = { ...context, jobMsMax: 2_000 }
  let isSlow = true
  answer = ({ method, honest, signal }) =>
    method === 'uploadBlob' && isSlow && askedFor('uploadBlob') > 1 ? never(signal) : honest()
  const first = await queue(siteOf('blog'), ['one', 'two'])
  start()
  await eventually(async () => {
    expect((await jobOf(first)).error).toStartWith('Your account’s server was too slow')
  })
  isSlow = false
  const before = askedFor('uploadBlob')
  await queue(siteOf('blog'), ['one', 'two'])
  await eventually(async () => expect(sites(alice)).toEqual(['blog']))
  expect(askedFor('uploadBlob')).toBe(before + 1)
})

test('time that is up while the site is written: nobody knows', async () => {
  context = { ...context, jobMsMax: 2_000 }
  answer = ({ method, honest, signal }) => (method === 'applyWrites' ? never(signal) : honest())
  const id = await queue(siteOf('blog'))
  start()
  await eventually(async () => {
    expect((await jobOf(id)).error).toContain('it may be published or not')
  })
})

describe('a commit that the server does not answer', () => {
  const unanswered = () => Promise.reject(new TypeError('connection reset'))
  const waits = (id: string) =>
    eventually(async () => {
      const job = await jobOf(id)
      expect(job).toMatchObject({
        status: 'pending',
        finishedAt: null,
        error: expect.stringContaining('has not confirmed that the site was written'),
      })
      return job
    })
  beforeEach(() => {
    context = { ...context, pause: async () => {} }
  })

  test('is made much later: the job waits for it, cannot be cancelled, and is done once', async () => {
    let commit: () => Promise<unknown> = unanswered
    let isAway = false
    answer = ({ method, honest }) => {
      if (method !== 'applyWrites') return isAway ? unanswered() : honest()
      commit = honest
      isAway = true
      return unanswered()
    }
    const id = await queue(siteOf('blog'))
    start()
    const { dueAt } = await waits(id)
    const tries = askedFor('applyWrites')
    // Nor does the next attempt get an answer.
    pass((dueAt ?? 0) - context.now())
    await eventually(async () => expect((await jobOf(id)).dueAt).toBeGreaterThan(dueAt ?? 0))
    expect(await cancelJob(await waits(id), context)).toBe('too-late')
    await commit()
    isAway = false
    expect(await ended(id)).toMatchObject({ status: 'completed', error: null })
    expect([sites(alice), askedFor('applyWrites')]).toEqual([['blog'], tries])
  })

  test('and does not make is made by the next attempt', async () => {
    let isAway = true
    answer = ({ method, honest }) => (method === 'applyWrites' && isAway ? unanswered() : honest())
    const id = await queue(siteOf('blog'))
    start()
    await waits(id)
    isAway = false
    expect(await ended(id)).toMatchObject({ status: 'completed', error: null })
    expect(serverOf(alice).repo.keys('place.sitehost.version')).toHaveLength(1)
  })

  test('and not makes while another program changes the site fails', async () => {
    let isAway = true
    answer = ({ method, honest }) => (method === 'applyWrites' && isAway ? unanswered() : honest())
    const id = await queue(siteOf('blog'))
    start()
    await waits(id)
    isAway = false
    serverOf(alice).repo.put('place.sitehost.fs', 'blog', { theirs: true })
    expect((await ended(id)).error).toStartWith('This site was changed by another program')
  })

  const limits: [string, typeof answer, minutes: number][] = [
    ['away', unanswered, 30],
    ['faulty', async () => Response.json({ error: 'InternalServerError' }, { status: 500 }), 2],
  ]
  test.each(limits)(
    'is given up while the server is %s, after a while',
    async (_, never, minutes) => {
      answer = (call) => (call.method === 'applyWrites' ? never(call) : call.honest())
      const id = await queue(siteOf('blog'))
      start()
      await waits(id)
      const { error, startedAt, finishedAt, status } = await ended(id)
      expect(status).toBe('failed')
      expect(error).toContain('it may be published or not')
      const tookMinutes = ((finishedAt ?? 0) - (startedAt ?? 0)) / 60_000
      expect(tookMinutes).toBeLessThan(minutes)
      expect(tookMinutes).toBeGreaterThan(minutes * 0.7)
    },
  )
})

test('who gives way after its commit, before the answer, is found done', async () => {
  answer = async ({ did, method, honest, signal }) => {
    const honestly = await honest()
    return did !== alice && method === 'applyWrites' ? never(signal) : honestly
  }
  // Half of them have lanes for slow ones, the other half is in the way.
  const others = [1, 2, 3, 4, 5, 6, 7, 8].map(accountOf)
  const ids = await Promise.all(others.map((did) => queue(siteOf('slow', did))))
  start()
  await eventually(async () => {
    for (const did of others) expect(sites(did)).toEqual(['slow'])
  })
  await queue(siteOf('quick'))
  await eventually(async () => expect(sites(alice)).toEqual(['quick']))
  const waiting = await eventually(async () => {
    const jobs = await Promise.all(ids.map(jobOf))
    const job = jobs.find(({ status }) => status === 'pending')
    if (job === undefined) throw new Error('nobody gave way')
    return job
  })
  expect((await ended(waiting.id)).status).toBe('completed')
  expect(askedFor('applyWrites', waiting.did)).toBe(1)
})

test('a site that another program changes while the job waits stays as that left it', async () => {
  let isLimited = true
  answer = ({ method, honest }) =>
    method === 'uploadBlob' && isLimited ? limited(Date.now() + 60_000) : honest()
  const id = await queue(siteOf('blog'))
  start()
  await eventually(async () => expect((await jobOf(id)).dueAt).not.toBeNull())
  isLimited = false
  serverOf(alice).repo.put('place.sitehost.fs', 'blog', { theirs: true })
  expect((await ended(id)).error).toStartWith('This site was changed by another program meanwhile.')
  expect(serverOf(alice).repo.find('place.sitehost.fs', 'blog')?.value).toEqual({ theirs: true })
})

test('also one that it changes while the service is stopped', async () => {
  let isStuck = true
  answer = ({ method, honest, signal }) =>
    method === 'uploadBlob' && isStuck ? never(signal) : honest()
  const id = await queue(siteOf('blog'))
  start()
  await eventually(async () => expect(askedFor('uploadBlob')).toBe(1))
  stop.abort()
  await running
  serverOf(alice).repo.put('place.sitehost.fs', 'blog', { theirs: true })
  isStuck = false
  stop = new AbortController()
  await recoverJobs(context)
  start()
  expect((await ended(id)).error).toStartWith('This site was changed by another program meanwhile.')
  expect(serverOf(alice).repo.find('place.sitehost.fs', 'blog')?.value).toEqual({ theirs: true })
})

test('one that others have ended meanwhile, as of an instance that was stopped, writes no more, and keeps its sentence', async () => {
  const error = 'The machine that had your upload is gone.'
  answer = async ({ method, honest }) => {
    if (method === 'applyWrites' && askedFor('applyWrites') === 1) {
      await finishJob(context.db, id, { status: 'failed', error }, context.now())
      // The swap fails, and another commit could be tried.
      serverOf(alice).repo.put('app.bsky.feed.post', 'hello', {})
    }
    return await honest()
  }
  const id = await queue(siteOf('blog'))
  start()
  await eventually(async () => expect(await readdir(join(dir, 'spool'))).toEqual([]))
  expect(await jobOf(id)).toMatchObject({ status: 'failed', error })
  expect([askedFor('applyWrites'), sites(alice)]).toEqual([1, []])
})

test('one that waits for its server can be cancelled, and its files go', async () => {
  answer = () => limited(Date.now() + 60_000)
  const id = await queue(siteOf('blog'))
  start()
  await eventually(async () => expect((await jobOf(id)).dueAt).not.toBeNull())
  expect(await cancelJob(await jobOf(id), context)).toBe('cancelled')
  expect(await readdir(join(dir, 'spool'))).toEqual([])
})

test('one that sends a file can be cancelled: the attempt ends at once, and says that it was cancelled', async () => {
  answer = ({ method, honest, signal }) => (method === 'uploadBlob' ? never(signal) : honest())
  const id = await queue(siteOf('blog'))
  start()
  await eventually(async () => expect(askedFor('uploadBlob')).toBe(1))
  expect(await cancelJob(await jobOf(id), context)).toBe('cancelled')
  const ends = () => lines.filter(({ message }) => /^publish (cancelled|failed)$/.test(message))
  await eventually(async () => expect(ends()).toHaveLength(1))
  expect(ends()).toMatchObject([{ message: 'publish cancelled', fields: { job: id } }])
  await eventually(async () => expect(await readdir(join(dir, 'spool'))).toEqual([]))
})

describe('a fault of this service', () => {
  test('a full disk: the job waits, says so, and ends well when there is room', async () => {
    const space = { free: 0, total: 1024 ** 4 }
    const floor = new DiskFloor(dir, { diskSpace: async () => space })
    context = { ...context, blobs: diskBlobStore({ dir: join(dir, 'blobs'), floor }) }
    const id = await queue(siteOf('blog'))
    start()
    await eventually(async () => {
      expect(await jobOf(id)).toMatchObject({
        status: 'pending',
        finishedAt: null,
        error: expect.stringContaining('cannot store files at the moment'),
      })
    })
    space.free = space.total
    expect(await ended(id)).toMatchObject({ status: 'completed', error: null })
    expect(sites(alice)).toEqual(['blog'])
  })

  test('tokens that cannot be read are no fault of the account’s server', () => {
    const away = new DatabaseUnavailableError('sqlite', new Error('away'))
    const error = new ServerUnreachableError('uploadBlob', { cause: away })
    expect(ownFaultOf(error)).toBe('database')
    expect(ownFaultOf(new ServerUnreachableError('uploadBlob', {}))).toBeNull()
  })

  test('too many requests of our own: the job waits, says so, and ends well', async () => {
    let isBusy = true
    const { oauth } = context
    const session: typeof oauth.session = async (did, pool) => {
      expect(pool).toBe('jobs')
      if (isBusy) throw new SemaphoreBusyError('pds.test')
      return await oauth.session(did, pool)
    }
    context = { ...context, oauth: { ...oauth, session } }
    const id = await queue(siteOf('blog'))
    start()
    await eventually(async () => {
      expect(await jobOf(id)).toMatchObject({
        status: 'pending',
        finishedAt: null,
        error: expect.stringContaining('too many requests to other servers'),
      })
    })
    isBusy = false
    expect(await ended(id)).toMatchObject({ status: 'completed', error: null })
  })

  test('that lasts as long as a job may take ends it, with a sentence', async () => {
    const away = new DatabaseUnavailableError('sqlite', new Error('away'))
    context = { ...context, identities: { resolve: () => Promise.reject(away) } }
    const id = await queue(siteOf('blog'))
    start()
    await eventually(async () => {
      expect((await jobOf(id)).error).toContain('database is not available at the moment')
    })
    aheadMs += jobMsMaxDefault
    pass(0)
    expect((await ended(id)).error).toStartWith(
      'This service’s database, disk or network was not available',
    )
  }, 40_000)
})

await onEachDatabase('a database that ends every connection', (make, dialect) => {
  if (dialect !== 'postgres') return
  test.each(['getLatestCommit', 'uploadBlob', 'applyWrites'])(
    'while the server answers %s loses no job',
    async (method) => {
      await using own = await make()
      await using other = openDatabase(own.options)
      await migrate(other)
      context = { ...context, db: other.db, jobMsMax: 1e9, databasePauseMs: 100 }
      let isFirst = true
      answer = async (call) => {
        const honestly = await call.honest()
        if (call.method === method && isFirst) {
          isFirst = false
          await endConnections(own.options.url ?? '')
        }
        return honestly
      }
      const id = await queue(siteOf('blog'))
      start()
      expect(await ended(id)).toMatchObject({ status: 'completed', error: null })
      expect([isFirst, sites(alice), askedFor('applyWrites')]).toEqual([false, ['blog'], 1])
      stop.abort()
      await running
    },
    40_000,
  )
})
