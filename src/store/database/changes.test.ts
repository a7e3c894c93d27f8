import { expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { siteLabel } from '#site/site-address.ts'
import { subjectOf } from '#tests/support/database/change-subjects.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import {
  appendChange,
  appendHostChange,
  appendNewVersion,
  keptChangeSeqs,
  latestChangeSeq,
  pruneChanges,
  readChanges,
} from './changes.ts'
import { openDatabase } from './database.ts'
import { inTransaction, isPostgres } from './transaction.ts'

const labelOf = (name: string): string => siteLabel(siteOf(name))

onEachStore('store/database/changes', (db) => {
  /** Returns its number. */
  const append = async (name: string, now = 1): Promise<number> => {
    await appendChange(db(), siteOf(name), now)
    return await latestChangeSeq(db())
  }

  test('changes are read in order, from the reader’s position', async () => {
    const start = await latestChangeSeq(db())
    const seqs = [await append('a'), await append('b'), await append('c')]
    const all = await readChanges(db(), start)
    expect(all.map(({ seq }) => seq)).toEqual(seqs)
    expect(all[0]).toEqual({ seq: seqs[0] ?? 0, kind: 'site', label: labelOf('a'), createdAt: 1 })
    expect((await readChanges(db(), seqs[1] ?? 0)).map(subjectOf)).toEqual([labelOf('c')])
    expect(await readChanges(db(), start, 2)).toHaveLength(2)
    expect(await latestChangeSeq(db())).toBe(seqs[2] ?? 0)
  })

  test('a new version is told apart from what takes something back', async () => {
    await appendNewVersion(db(), siteOf('a'), 3)
    const seq = await latestChangeSeq(db())
    expect(await readChanges(db(), 0)).toEqual([
      { seq, kind: 'site', label: labelOf('a'), isNewVersion: true, createdAt: 3 },
    ])
  })

  test('a change of a host has its name', async () => {
    await appendHostChange(db(), 'blog.example.com', 3)
    const seq = await latestChangeSeq(db())
    expect(await readChanges(db(), 0)).toEqual([
      { seq, kind: 'host', host: 'blog.example.com', createdAt: 3 },
    ])
  })

  test('before the first change everything is 0', async () => {
    expect(await latestChangeSeq(db())).toBe(0)
    expect(await keptChangeSeqs(db())).toEqual({ oldest: 0, newest: 0 })
  })

  test('a failed transaction appends no change', async () => {
    const failing = inTransaction(db(), async (transaction) => {
      await appendChange(transaction, siteOf('a'), 1)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await latestChangeSeq(db())).toBe(0)
  })

  test('pruning keeps the newest change, so that numbers never decrease', async () => {
    await append('a', 1)
    const kept = await append('b', 2)
    await pruneChanges(db(), 2)
    expect((await keptChangeSeqs(db())).oldest).toBe(kept)
    await pruneChanges(db(), 99)
    expect(await latestChangeSeq(db())).toBe(kept)
    expect(await append('c', 3)).toBeGreaterThan(kept)
  })
})

onEachStore('store/database/changes with many writers', (_, __, options) => {
  test('a reader that only moves forward misses no change', async () => {
    await using writers = openDatabase(options())
    await using reader = openDatabase(options())

    const writes = Array.from({ length: 200 }, (_, n) =>
      inTransaction(writers.db, async (transaction) => {
        await appendChange(transaction, siteOf(`site-${n}`), n)
        // A transaction with an earlier number may commit later.
        if (n % 3 === 0) await transaction.selectFrom('changes').select('seq').execute()
        if (n % 5 === 0) throw new Error('rolled back')
      }).catch(() => {}),
    )
    let areWritten = false
    const writing = Promise.all(writes).then(() => {
      areWritten = true
    })
    const seen: string[] = []
    for (let position = 0, isLastRound = false; !isLastRound; ) {
      isLastRound = areWritten
      // A commit waits for the disk, which answers nobody who never lets go of the thread.
      await setImmediate()
      for (const change of await readChanges(reader.db, position, 7)) {
        expect(change.seq).toBeGreaterThan(position)
        position = change.seq
        seen.push(subjectOf(change))
        isLastRound = false
      }
    }
    await writing
    expect(seen).toHaveLength(160)
    expect(new Set(seen).size).toBe(160)
  })

  test('a transaction in progress neither holds back the changes of others nor has theirs skipped', async () => {
    await using one = openDatabase(options())
    await using two = openDatabase(options())
    await using reader = openDatabase(options())
    const hasAppended = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const slow = inTransaction(one.db, async (transaction) => {
      await appendChange(transaction, siteOf('slow'), 1)
      hasAppended.resolve()
      await mayCommit.promise
    })
    await hasAppended.promise
    const fast = appendChange(two.db, siteOf('fast'), 2)
    // SQLite has one writer at a time.
    if (isPostgres(reader.db)) {
      await fast
      expect((await readChanges(reader.db, 0)).map(subjectOf)).toEqual([labelOf('fast')])
    } else expect(await Promise.race([fast, readChanges(reader.db, 0)])).toEqual([])
    const position = await latestChangeSeq(reader.db)
    mayCommit.resolve()
    await Promise.all([slow, fast])
    const later = isPostgres(reader.db) ? ['slow'] : ['slow', 'fast']
    expect((await readChanges(reader.db, position)).map(subjectOf)).toEqual(later.map(labelOf))
  })
})
