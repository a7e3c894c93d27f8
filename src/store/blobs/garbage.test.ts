import { describe, expect, test } from 'bun:test'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { cancelJobUnlessWriting } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, newJob, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { findBlobs, type KnownBlob, listBlobHashes, rememberBlob } from './blobs.ts'
import {
  claimBlobs,
  garbagePages,
  lastHash,
  markGarbage,
  oldestOpenWork,
  readGarbageWalk,
  removeGarbage,
  saveGarbageWalk,
} from './garbage.ts'

const all = { after: '', upTo: lastHash }

onEachStore('store/sites/garbage', (db) => {
  const marked = async (options?: { before?: number; limit?: number }, range = all) =>
    (await Array.fromAsync(garbagePages(db(), range, options))).flat()
  const blob = (hash: string): KnownBlob => ({
    cid: `cid-${hash}`,
    coding: 'identity',
    base64: false,
    hash,
    storedBytes: 1,
    decodedHash: hash,
    decodedBytes: 1,
  })

  test('a mark keeps its time', async () => {
    await markGarbage(db(), ['a', 'b'], 10)
    await markGarbage(db(), ['b', 'c'], 20)
    expect(await marked()).toEqual(['a', 'b', 'c'])
    expect(await marked({ before: 20 })).toEqual(['a', 'b'])
    expect(await marked({ before: 10 })).toEqual([])
  })

  test('marks are listed by range', async () => {
    await markGarbage(db(), ['a', 'b', 'c', 'd'], 10)
    expect(await Array.fromAsync(garbagePages(db(), all, { limit: 2 }))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(await marked({}, { after: 'a', upTo: 'c' })).toEqual(['b', 'c'])
  })

  test('claimed or remembered bytes are not garbage', async () => {
    await markGarbage(db(), ['a', 'b', 'c'], 10)
    await claimBlobs(db(), ['a', 'x', 'a'])
    await rememberBlob(db(), blob('b'), 11)
    expect(await marked()).toEqual(['c'])
  })

  describe('removing', () => {
    test('removes bytes that were marked for long enough, with their rows', async () => {
      for (const hash of ['a', 'b', 'c']) await rememberBlob(db(), blob(hash), 1)
      await markGarbage(db(), ['a'], 10)
      await markGarbage(db(), ['b'], 20)
      const gone: string[] = []
      const removed = await removeGarbage(db(), ['a', 'b', 'c', 'x'], 20, async (hash) => {
        gone.push(hash)
      })
      expect({ removed, gone }).toEqual({ removed: ['a'], gone: ['a'] })
      expect(await marked()).toEqual(['b'])
      expect(await listBlobHashes(db(), { after: '', limit: 9 })).toEqual(['b', 'c'])
    })

    test('that fails half way leaves all bytes marked', async () => {
      for (const hash of ['a', 'b']) await rememberBlob(db(), blob(hash), 1)
      await markGarbage(db(), ['a', 'b'], 10)
      const failing = removeGarbage(db(), ['a', 'b'], 20, async (hash) => {
        if (hash === 'b') throw new Error('the disk is gone')
      })
      await expect(failing).rejects.toThrow('the disk is gone')
      expect(await marked()).toEqual(['a', 'b'])
      expect(await findBlobs(db(), [blob('a'), blob('b')])).toHaveLength(2)
    })

    test('makes concurrent claims wait', async () => {
      await rememberBlob(db(), blob('a'), 1)
      await markGarbage(db(), ['a'], 10)
      const order: string[] = []
      const began = Promise.withResolvers<void>()
      const mayEnd = Promise.withResolvers<void>()
      const removing = removeGarbage(db(), ['a'], 20, async () => {
        began.resolve()
        await mayEnd.promise
        order.push('removed')
      })
      await began.promise
      const waiting = [
        claimBlobs(db(), ['a']).then(() => order.push('claimed')),
        rememberBlob(db(), blob('a'), 21).then(() => order.push('remembered')),
      ]
      // A claim that did not wait would have resolved by then.
      await Promise.race([Promise.any(waiting), Bun.sleep(50)])
      mayEnd.resolve()
      await Promise.all([removing, ...waiting])
      expect(order[0]).toBe('removed')
      expect(await findBlobs(db(), [blob('a')])).toHaveLength(1)
    })
  })

  test('a walk continues where it was', async () => {
    expect(await readGarbageWalk(db())).toBe('')
    await saveGarbageWalk(db(), 'abc')
    await saveGarbageWalk(db(), 'abd')
    expect(await readGarbageWalk(db())).toBe('abd')
  })

  test('the oldest work is an unfinished job, or a site that was enqueued recently enough', async () => {
    expect(await oldestOpenWork(db(), 0)).toBeNull()
    await enqueueSites(askedAt(db(), 50), [siteOf('blog')])
    expect(await oldestOpenWork(db(), 49)).toBe(50)
    expect(await oldestOpenWork(db(), 50)).toBeNull()
    const job = newJob({ did: alice })
    await createJob(db(), job, { queuedMax: 1, now: 30 })
    expect(await oldestOpenWork(db(), 40)).toBe(30)
    await cancelJobUnlessWriting(db(), job, 'enough', 60)
    expect(await oldestOpenWork(db(), 40)).toBe(50)
  })
})
