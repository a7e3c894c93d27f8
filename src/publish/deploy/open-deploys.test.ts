import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { exists, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spool, SpoolFullError } from '#publish/upload/spool.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import {
  createDeploy,
  type DeployFacts,
  findContent,
  findDeploy,
  listMissing,
} from '#store/queues/deploys.ts'
import { createJob } from '#store/queues/jobs.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/databases.ts'
import { eventually } from '#tests/support/eventually.ts'
import { alice, bob, newDeploy, newJob, removedSites } from '#tests/support/sample-rows.ts'
import { queueDeploy } from './commit-deploy.ts'
import { OpenDeploys } from './open-deploys.ts'

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
  deploys = new OpenDeploys({
    ...{ db, spool, now: () => 1, elapsed: () => elapsedMs },
    log: recordingLog(),
  })
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

async function create(did = alice): Promise<DeployFacts> {
  const { db } = database
  const deploy = newDeploy({ did })
  await createDeploy(db, deploy, [{ sha256, bytes: content.length }], { openMax: 9, now: 1 })
  return (await findDeploy(db, deploy.id, 1)) as DeployFacts
}

async function* whole() {
  yield content
}

async function receive(
  deploy: DeployFacts,
  body: AsyncIterable<Uint8Array> = whole(),
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

test('a deploy whose commit is refused gives way as before', async () => {
  const { db } = database
  const refused = await create()
  expect(await receive(refused)).toBe(true)
  await createJob(db, newJob({ site: refused.site }), { queuedMax: 5, now: 1 })
  const limits = { fileBytesMax: 100 * kib, siteBytesMax: 100 * kib }
  const log = recordingLog()
  const context = { db, spool, limits, log, now: () => 1, wakeUps: new WakeUps() }
  expect(await queueDeploy(refused, context)).toMatchObject({ reason: 'same-site-running' })
  elapsedMs = 61_000
  expect(await receive(await create(bob))).toBe(true)
})
