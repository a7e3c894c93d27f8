import { expect, test } from 'bun:test'
import { findInstance, registerInstance, seeInstance } from '#store/instances.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newDeploy, newJob } from '#tests/support/database/sample-rows.ts'
import { createDeploy, findDeploy } from './deploys.ts'
import {
  giveToInstance,
  listIdsOf,
  listKnownInstances,
  removeGoneInstance,
} from './instance-rows.ts'
import { beginWriting, listWaitingAccounts, startNextJob } from './job-steps.ts'
import { createJob, findJob, listUnfinishedJobs } from './jobs.ts'

const here = {
  ...{ id: 'here', run: 'run', address: 'http://10.0.0.1:1' },
  roles: 'app',
  version: '',
}

onEachStore('store/queues/instance-rows', (db) => {
  const create = (id: string, instance: string, did = alice) =>
    createJob(db(), newJob({ id, instance, did, site: nameOf(id) }), { queuedMax: 5, now: 1 })
  const createOpen = (id: string, instance: string) =>
    createDeploy(db(), newDeploy({ id, instance }), [], { openMax: 5, now: 1 })
  const start = async (instance: string, did = alice) =>
    (await startNextJob(db(), did, 2, instance))?.id ?? null
  const sentenceOf = ({ id }: { id: string }) => `${id} is gone`

  test('an instance starts its own jobs, and of an account one at a time with all others', async () => {
    await create('a', 'here')
    await create('b', 'there')
    expect(await start('here')).toBe('a')
    expect(await start('there')).toBeNull()
    expect(await listWaitingAccounts(db(), { limit: 9, now: 2, instance: 'there' })).toEqual([])
    expect(await start('here', bob)).toBeNull()
    await create('c', 'there', bob)
    expect(await listWaitingAccounts(db(), { limit: 9, now: 2, instance: 'here' })).toEqual([])
    expect(await listWaitingAccounts(db(), { limit: 9, now: 2, instance: 'there' })).toMatchObject([
      { did: bob },
    ])
  })

  test('jobs and open deploys are given to another instance', async () => {
    await create('a', 'here')
    await createOpen('d', 'here')
    expect(await listIdsOf(db(), 'here')).toEqual({ jobs: ['a'], deploys: ['d'] })
    expect(await listIdsOf(db(), '')).toEqual({ jobs: [], deploys: [] })
    expect(await listIdsOf(db(), null)).toEqual({ jobs: ['a'], deploys: ['d'] })
    await giveToInstance(db(), ['a', 'd'], 'there')
    expect(await listIdsOf(db(), 'here')).toEqual({ jobs: [], deploys: [] })
    expect(await listUnfinishedJobs(db(), 'there')).toHaveLength(1)
  })

  test('what a gone instance has ends, what others have stays, and it writes nothing any more', async () => {
    await create('a', 'gone')
    await create('b', 'here')
    await createOpen('d', 'gone')
    await createOpen('e', 'here')
    await start('gone')
    const [seen] = (await listKnownInstances(db())).filter(({ id }) => id === 'gone')
    if (seen === undefined) throw new Error('it is not known')
    expect(await removeGoneInstance(db(), seen, { now: 5, sentenceOf })).toMatchObject([
      { id: 'a' },
    ])
    expect(await findJob(db(), 'a')).toMatchObject({
      status: 'failed',
      error: 'a is gone',
      plan: '',
    })
    expect(await findJob(db(), 'b')).toMatchObject({ finishedAt: null })
    expect(await findDeploy(db(), 'd', 5)).toBeNull()
    expect(await findDeploy(db(), 'e', 5)).not.toBeNull()
    expect(await beginWriting(db(), 'a', 6)).toBe(false)
  })

  test('an instance that was seen meanwhile is not gone', async () => {
    await registerInstance(db(), here)
    await create('a', 'here')
    const before = await listKnownInstances(db())
    expect(before).toMatchObject([{ id: 'here', row: { run: 'run' } }])
    await registerInstance(db(), { ...here, run: 'another' })
    for (const seen of [...before, { id: 'here', row: null }]) {
      expect(await removeGoneInstance(db(), seen, { now: 5, sentenceOf })).toBeNull()
    }
    expect(await findJob(db(), 'a')).toMatchObject({ finishedAt: null })
    for (const seen of await listKnownInstances(db())) {
      await removeGoneInstance(db(), seen, { now: 5, sentenceOf })
    }
    expect(await findInstance(db(), 'here')).toBeNull()
    expect(await seeInstance(db(), { id: 'here', run: 'another' })).toBe('removed')
  })
})
