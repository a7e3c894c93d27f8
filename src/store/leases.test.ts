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

onEachStore('store/database/leases', (db) => {
  const take = (holder: string, now: number, name = 'work') =>
    takeLease(db(), { name, holder }, { now, leaseMs: 100 })

  test('one holder at a time, until the lease is over', async () => {
    expect(await take('a', 0)).toBe(true)
    expect(await take('b', 99)).toBe(false)
    expect(await take('b', 0, 'other work')).toBe(true)
    expect(await take('b', 100)).toBe(true)
    expect(await take('a', 199)).toBe(false)
  })

  test('a lease of a holder whose clock was a day ahead has ended', async () => {
    await take('a', 86_400_000)
    expect(await take('b', 86_400_000 - clockSkewMs)).toBe(false)
    expect(await take('b', 1)).toBe(true)
  })

  test('its holder renews and releases it', async () => {
    await take('a', 0)
    for (const holder of ['a', 'b']) {
      await renewLease(db(), { name: 'work', holder }, { now: 90, leaseMs: 100 })
    }
    expect(await take('b', 150)).toBe(false)
    await releaseLease(db(), { name: 'work', holder: 'b' })
    expect(await take('b', 150)).toBe(false)
    await releaseLease(db(), { name: 'work', holder: 'a' })
    await renewLease(db(), { name: 'work', holder: 'a' }, { now: 150, leaseMs: 100 })
    expect(await take('b', 150)).toBe(true)
  })

  test('leases of dead holders are deleted', async () => {
    await take('a', 0)
    await take('b', 1, 'other work')
    await deleteEndedLeases(db(), 100)
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
    let now = 0
    const held = withLease(db(), 'work', () => promise, { now: () => now, leaseMs: 100 })
    try {
      await eventually(async () => expect(await leasedUntil('work')).toBe(100))
      now = 1000
      await eventually(async () => expect(await leasedUntil('work')).toBe(1100))
    } finally {
      resolve()
      await held
    }
  })

  test('a waiting caller gives up in the end', async () => {
    await take('a', 0)
    const times = { now: () => 0, waitMsMax: 2 }
    const second = withLease(db(), 'work', async () => 'second', times)
    await expect(second).rejects.toBeInstanceOf(LeaseBusyError)
    expect(await leasedUntil('work')).toBe(100)
  })

  test('a dead holder is overtaken', async () => {
    await take('dead', 0)
    let now = 0
    const overtaking = withLease(db(), 'work', async () => 'done', { now: () => (now += 40) })
    expect(await overtaking).toBe('done')
  })

  async function leasedUntil(name: string): Promise<number | undefined> {
    const leases = db().selectFrom('leases').select('leasedUntil').where('name', '=', name)
    return (await leases.executeTakeFirst())?.leasedUntil
  }
})
