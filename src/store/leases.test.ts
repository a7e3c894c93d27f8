import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import { eventually } from '#tests/support/eventually.ts'
import {
  clockSkewMs,
  deleteEndedLeases,
  LeaseBusyError,
  releaseLease,
  renewLease,
  takeLease,
  withLease,
} from './leases.ts'

onEachStore('store/leases', (db) => {
  const leaseMs = 60_000
  const times = () => ({ now: Date.now(), leaseMs })
  const take = (holder: string, name = 'work') => takeLease(db(), { name, holder }, times())
  /** As if so much time had passed, by whichever clock counts. */
  async function pass(ms: number): Promise<void> {
    const until = await leasedUntil('work')
    await setUntil((until ?? 0) - ms)
  }
  const setUntil = (until: number) =>
    db().updateTable('leases').set({ leasedUntil: until }).execute()

  test('one holder at a time, until the lease is over', async () => {
    expect(await take('a')).toBe(true)
    expect(await take('b')).toBe(false)
    expect(await take('b', 'other work')).toBe(true)
    await pass(leaseMs)
    expect(await take('b')).toBe(true)
    expect(await take('a')).toBe(false)
  })

  test('a lease of a time when the clock was ahead has ended', async () => {
    await take('a')
    await pass(-clockSkewMs / 2)
    expect(await take('b')).toBe(false)
    await pass(-clockSkewMs)
    expect(await take('b')).toBe(true)
  })

  test('its holder renews and releases it', async () => {
    const of = (holder: string) => ({ name: 'work', holder })
    await take('a')
    await pass(leaseMs / 2)
    for (const holder of ['a', 'b']) await renewLease(db(), of(holder), times())
    await pass(leaseMs / 2)
    expect(await take('b')).toBe(false)
    await releaseLease(db(), of('b'))
    expect(await take('b')).toBe(false)
    await releaseLease(db(), of('a'))
    await renewLease(db(), of('a'), times())
    expect(await take('b')).toBe(true)
  })

  test('leases of dead holders are deleted', async () => {
    await take('a')
    await pass(leaseMs)
    await take('b', 'other work')
    await deleteEndedLeases(db(), Date.now())
    const left = await db().selectFrom('leases').select('name').execute()
    expect(left).toEqual([{ name: 'other work' }])
  })

  test('twenty concurrent callers run one after the other', async () => {
    let running = 0
    const done: number[] = []
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        withLease(db(), 'work', async () => {
          expect(++running).toBe(1)
          await Promise.resolve(done.push(n))
          running--
        }),
      ),
    )
    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect(await db().selectFrom('leases').selectAll().execute()).toEqual([])
  }, 45_000)

  test('failed work releases the lease, and its error is thrown', async () => {
    const failing = withLease(db(), 'work', () => Promise.reject(new Error('no luck')))
    await expect(failing).rejects.toThrow('no luck')
    expect(await withLease(db(), 'work', async () => 'done')).toBe('done')
  })

  test('the lease is renewed while the work runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const held = withLease(db(), 'work', () => promise, { leaseMs: 300 })
    try {
      await eventually(async () => expect(await leasedUntil('work')).toBeGreaterThan(0))
      const first = await leasedUntil('work')
      await eventually(async () => expect(await leasedUntil('work')).toBeGreaterThan(first ?? 0))
    } finally {
      resolve()
      await held
    }
  })

  test('a waiting caller gives up in the end', async () => {
    await take('a')
    const second = withLease(db(), 'work', async () => 'second', { waitMsMax: 2 })
    await expect(second).rejects.toBeInstanceOf(LeaseBusyError)
  })

  test('a dead holder is overtaken', async () => {
    await takeLease(db(), { name: 'work', holder: 'dead' }, { ...times(), leaseMs: 50 })
    expect(await withLease(db(), 'work', async () => 'done')).toBe('done')
  })

  async function leasedUntil(name: string): Promise<number | undefined> {
    const leases = db().selectFrom('leases').select('leasedUntil').where('name', '=', name)
    return (await leases.executeTakeFirst())?.leasedUntil
  }
})
