import { expect, test } from 'bun:test'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { eventually } from '#tests/support/eventually.ts'
import { openDatabase } from './database/database.ts'
import { inTransaction } from './database/transaction.ts'
import { DutyLostError, LeasedDuties, soleDuties, type Term } from './duties.ts'
import { endDuty, lockDuty, takeDuties } from './duty-rows.ts'

onEachStore('store/duty-rows', (db) => {
  const take = (holder: string, leaseMs = 60_000) =>
    takeDuties(db(), ['firehose', 'blobs'], { holder, leaseMs, now: Date.now() })
  const epochs = async (holder: string, leaseMs?: number) => {
    const taken = await take(holder, leaseMs)
    return Object.fromEntries(taken.map(({ name, epoch }) => [name, epoch]))
  }
  const ofHolder = (holder: string, epoch: number) => ({ name: 'firehose', holder, epoch }) as const

  test('each has one holder, who renews it; its epoch grows with each new one', async () => {
    expect(await epochs('a')).toEqual({ firehose: 1, blobs: 1 })
    expect(await epochs('b')).toEqual({})
    expect(await epochs('a')).toEqual({ firehose: 1, blobs: 1 })
    await endDuty(db(), ofHolder('a', 1))
    expect(await epochs('b')).toEqual({ firehose: 2 })
    await endDuty(db(), ofHolder('a', 1))
    expect(await epochs('a')).toEqual({ blobs: 1 })
  })

  test('what was ended has another epoch next time, for the same holder too', async () => {
    await take('a')
    await endDuty(db(), ofHolder('a', 1))
    expect(await epochs('a')).toEqual({ firehose: 2, blobs: 1 })
  })

  test('a dead holder is overtaken, whose transactions are then refused', async () => {
    await take('a', 0)
    expect(await epochs('b')).toEqual({ firehose: 2, blobs: 2 })
    const holds = (holder: string, epoch: number) =>
      inTransaction(db(), (transaction) => lockDuty(transaction, ofHolder(holder, epoch)))
    expect([await holds('a', 1), await holds('b', 1), await holds('b', 2)]).toEqual([
      false,
      false,
      true,
    ])
  })

  test('times further ahead than any lease, as another clock wrote them, do not keep it', async () => {
    await take('a', 300_000)
    expect(await epochs('b')).toEqual({ firehose: 2, blobs: 2 })
  })
})

onEachStore('store/duties', (db, _, options) => {
  function instance(leaseMs = 60_000, itsDb = db()) {
    const stop = new AbortController()
    const lines: LoggedLine[] = []
    const facts = { db: itsDb, log: recordingLog(lines), signal: stop.signal }
    return { stop, lines, duties: new LeasedDuties({ ...facts, leaseMs, renewEveryMs: 5 }) }
  }
  /** Does the duty until its term ends. */
  function doing(duties: LeasedDuties) {
    const terms: Term[] = []
    const ended = duties.run('firehose', async (term) => {
      terms.push(term)
      await new Promise((resolve) => term.signal.addEventListener('abort', resolve))
    })
    return { terms, ended }
  }

  test('one instance does it; after a clean stop the other one does', async () => {
    const [one, two] = [instance(), instance()]
    const first = doing(one.duties)
    await eventually(async () => expect(first.terms).toHaveLength(1))
    const second = doing(two.duties)
    one.stop.abort()
    await first.ended
    await eventually(async () => expect(second.terms).toHaveLength(1))
    expect(first.terms[0]?.signal.aborted).toBe(true)
    two.stop.abort()
    await second.ended
    expect([first.terms.length, second.terms.length]).toEqual([1, 1])
  })

  test('one that was overtaken learns of it, writes nothing, and does the duty again later', async () => {
    const [one, two] = [instance(), instance()]
    const first = doing(one.duties)
    await eventually(async () => expect(first.terms).toHaveLength(1))
    // As if it had been suspended for longer than its lease.
    await db().updateTable('duties').set({ holder: 'another', epoch: 7 }).execute()
    const [term] = first.terms
    const write = inTransaction(db(), async (transaction) => await term?.lock(transaction))
    await expect(write).rejects.toBeInstanceOf(DutyLostError)
    expect(term?.signal.aborted).toBe(true)
    await db().updateTable('duties').set({ leasedUntil: 0 }).execute()
    await eventually(async () => expect(first.terms).toHaveLength(2))
    await inTransaction(db(), async (transaction) => await first.terms[1]?.lock(transaction))
    for (const { stop } of [one, two]) stop.abort()
    await first.ended
    expect(one.lines).toContainEqual({
      level: 'warn',
      message: 'duty lost',
      fields: { duty: 'firehose', epoch: 1 },
    })
  })

  test('its term ends when it could not be renewed in time', async () => {
    const away = openDatabase(options())
    const one = instance(200, away.db)
    const first = doing(one.duties)
    await eventually(async () => expect(first.terms).toHaveLength(1))
    await away[Symbol.asyncDispose]()
    await eventually(async () => expect(first.terms[0]?.signal.aborted).toBe(true))
    one.stop.abort()
    await first.ended
    expect(one.lines.map(({ message }) => message)).toContain('duties not renewed')
  })

  test('work that returns ends its duty; what it throws is thrown', async () => {
    const { duties, stop } = instance()
    await duties.run('cdn', () => Promise.resolve())
    await expect(duties.run('cdn', () => Promise.reject(new Error('no luck')))).rejects.toThrow(
      'no luck',
    )
    const taken = await takeDuties(db(), ['cdn'], { holder: 'b', leaseMs: 1, now: Date.now() })
    expect(taken).toMatchObject([{ epoch: 3 }])
    stop.abort()
  })

  test('the only instance does each duty until it stops', async () => {
    const stop = new AbortController()
    const done: string[] = []
    await soleDuties(stop.signal).run('blobs', async ({ lock, signal }) => {
      await lock({} as never)
      done.push(`aborted: ${signal.aborted}`)
    })
    expect(done).toEqual(['aborted: false'])
  })
})
