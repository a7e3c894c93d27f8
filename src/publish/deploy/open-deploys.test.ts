import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { exists, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FailPoint } from '#publish/fail-points.ts'
import { Spool, SpoolFullError } from '#publish/upload/spool.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import {
  findContent,
  listContents,
  listMissing,
  type NeededContent,
} from '#store/queues/deploy-contents.ts'
import { createDeploy, type DeployFacts, findDeploy, reopenDeploy } from '#store/queues/deploys.ts'
import { createJob } from '#store/queues/jobs.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, bob, newDeploy, newJob, removedSites } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { queueDeploy } from './commit-deploy.ts'
import { OpenDeploys } from './open-deploys.ts'
import type { IncomingFile } from './spool-file.ts'

const kib = 1024
const content = new Uint8Array(10 * kib)
const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex')

let dir: string
let database: Database
let spool: Spool
let deploys: OpenDeploys
let elapsedMs: number
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'open-deploys-'))
  database = await memoryDatabase()
  elapsedMs = 0
  // Space for one such content with the two forms that a job may make of it.
  spool = new Spool(join(dir, 'spool'), { bytesMax: 40 * kib })
  const { db } = database
  for (const did of [alice, bob])
    await db.insertInto('sites').values(removedSites(1, did)).execute()
  deploys = openDeploys()
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const openDeploys = () =>
  new OpenDeploys({
    ...{ db: database.db, spool, now: () => 1, elapsed: () => elapsedMs },
    ...{ log: recordingLog(), at: () => undefined },
  })

async function create(did = alice, more: NeededContent[] = []): Promise<DeployFacts> {
  const { db } = database
  const deploy = newDeploy({ did })
  const needed = [{ sha256, bytes: content.length }, ...more]
  await createDeploy(db, deploy, needed, { openMax: 9, now: 1 })
  return (await findDeploy(db, deploy.id, 1)) as DeployFacts
}

async function* bodyOf(bytes: Uint8Array) {
  yield bytes
}
const whole = () => bodyOf(content)

/** The first half of the content, and then nothing. */
const halfOf = (): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (sent) => sent.enqueue(content.subarray(0, content.length / 2)) })

async function receive(
  deploy: DeployFacts,
  body: IncomingFile['body'] = whole(),
  confirm = async () => {},
): Promise<boolean> {
  const needed = await findContent(database.db, deploy.id, sha256)
  if (needed === null) throw new Error('no such content')
  const { signal } = new AbortController()
  return await deploys.receive(deploy, needed, { body, coding: 'identity', signal, confirm })
}

const missing = (deploy: DeployFacts) => listMissing(database.db, deploy.id)
const isOnDisk = (deploy: DeployFacts) => exists(join(dir, 'spool', deploy.id))

test('nothing is kept when it is not confirmed', async () => {
  const deploy = await create()
  const ended = async () => {
    throw new Error('the session has ended')
  }
  await expect(receive(deploy, whole(), ended)).rejects.toThrow('the session has ended')
  expect(await missing(deploy)).toEqual([sha256])
  expect(await (await spool.open(deploy.id)).bytesOnDisk()).toBe(0)
})

test('a content that arrives twice at a time is kept once', async () => {
  const deploy = await create()
  const outcomes = await Promise.all([receive(deploy), receive(deploy)])
  expect(outcomes.toSorted()).toEqual([false, true])
  expect(await (await spool.open(deploy.id)).bytesOnDisk()).toBe(content.length)
})

describe('while others need the space, a deploy', () => {
  test('keeps what has just arrived', async () => {
    const [first, second] = [await create(), await create(bob)]
    await receive(first)
    await expect(receive(second)).rejects.toBeInstanceOf(SpoolFullError)
    expect(await missing(first)).toEqual([])
  })

  test('gives way when it has sent nothing for a minute, and can be sent again', async () => {
    const [first, second] = [await create(), await create(bob)]
    await receive(first)
    elapsedMs += 60_001
    expect(await receive(second)).toBe(true)
    await eventually(async () => expect(await missing(first)).toEqual([sha256]))
    await eventually(async () => expect(await isOnDisk(first)).toBe(false))
    expect(await missing(second)).toEqual([])
    elapsedMs += 60_001
    expect(await receive(first)).toBe(true)
    expect(await missing(first)).toEqual([])
  })
})

/** A context in which a deploy can be committed. */
const committing = () => ({
  ...{ at: () => undefined, db: database.db, deploys, spool, log: recordingLog() },
  ...{ limits: { fileBytesMax: 100 * kib, siteBytesMax: 100 * kib } },
  ...{ now: () => 1, wakeUps: new WakeUps() },
})

/** The deploy of another account can use the space after a minute: this one gives way. */
async function expectGivesWay(deploy: DeployFacts): Promise<void> {
  elapsedMs += 59_000
  await expect(receive(await create(bob))).rejects.toBeInstanceOf(SpoolFullError)
  elapsedMs += 2_000
  expect(await receive(await create(bob))).toBe(true)
  await eventually(async () => expect(await missing(deploy)).toEqual([sha256]))
}

test('a deploy whose commit is refused gives way as before', async () => {
  const { db } = database
  const refused = await create()
  expect(await receive(refused)).toBe(true)
  await createJob(db, newJob({ site: refused.site }), { queuedMax: 5, now: 1 })
  expect(await queueDeploy(refused, committing())).toMatchObject({ reason: 'same-site-running' })
  await expectGivesWay(refused)
})

test('so does one whose commit failed', async () => {
  const deploy = await create()
  expect(await receive(deploy)).toBe(true)
  const at = (point: FailPoint): void => {
    if (point === 'deploy-committing') throw new Error('the database is away')
  }
  await expect(queueDeploy(deploy, { ...committing(), at })).rejects.toThrow('is away')
  await expectGivesWay(deploy)
})

test('so does one that was open when the service ended', async () => {
  const deploy = await create()
  expect(await receive(deploy)).toBe(true)
  spool = new Spool(join(dir, 'spool'), { bytesMax: 40 * kib })
  deploys = openDeploys()
  await deploys.recover()
  await expectGivesWay(deploy)
})

test('so does one whose job has ended because contents are gone', async () => {
  const { db } = database
  const deploy = await create()
  expect(await receive(deploy)).toBe(true)
  expect(await queueDeploy(deploy, committing())).toEqual({ created: true })
  await reopenDeploy(db, deploy.id, [], { error: 'gone', expiresAt: 1_000, now: 1 })
  await deploys.adopt(deploy.id)
  await expectGivesWay(deploy)
})

test('a job that was a deploy does not give way, also while it is sent a file twice', async () => {
  const deploy = await create()
  const late = receive(deploy, halfOf())
  expect(await receive(deploy)).toBe(true)
  expect(await queueDeploy(deploy, committing())).toEqual({ created: true })
  expect(await late).toBe(false)
  elapsedMs += 61_000
  await expect(receive(await create(bob))).rejects.toBeInstanceOf(SpoolFullError)
  expect(await (await spool.open(deploy.id)).bytesOnDisk()).toBe(content.length)
})

test('what arrives in the moment in which the deploy gives way does not go with what was there', async () => {
  const other = new Uint8Array(kib)
  const hash = new Bun.CryptoHasher('sha256').update(other).digest('hex')
  const deploy = await create(alice, [{ sha256: hash, bytes: other.length }])
  expect(await receive(deploy)).toBe(true)
  const late = await findContent(database.db, deploy.id, hash)
  if (late === null) throw new Error('no such content')
  elapsedMs += 61_000
  const { signal } = new AbortController()
  const body = bodyOf(other)
  const incoming = { body, coding: 'identity', signal, confirm: async () => {} } as const
  const arriving = deploys.receive(deploy, late, incoming)
  const remove = spool.remove.bind(spool)
  const removing = spyOn(spool, 'remove').mockImplementation(async (id) => {
    await arriving
    await remove(id)
  })
  const [id, claim] = [crypto.randomUUID(), { owner: bob, isSmall: true, isNewcomer: false }]
  const taking = spool.reserve(id, 4 * kib, { ...claim, server: null, arrival: null })
  spool.release(id)
  await Promise.allSettled([arriving, taking])
  await deploys.close(deploy.id)
  removing.mockRestore()
  const contents = await listContents(database.db, deploy.id)
  const arrived = contents.filter(({ pack }) => pack !== null).map(({ bytes }) => bytes)
  const onDisk = await (await spool.open(deploy.id)).bytesOnDisk()
  expect(onDisk).toBe(arrived.reduce((sum, bytes) => sum + bytes, 0))
})

test('after a crash, what has not arrived takes no space', async () => {
  const deploy = await create()
  {
    await using folder = await spool.open(deploy.id)
    await folder.write(whole(), { bytesMax: content.length })
  }
  await deploys.recover()
  expect(await (await spool.open(deploy.id)).bytesOnDisk()).toBe(0)
})
