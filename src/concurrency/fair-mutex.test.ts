import { afterEach, expect, test } from 'bun:test'
import { FairMutex } from './fair-mutex.ts'

const owners = new Map<string, object>()
function ownerOf(name: string): object {
  const owner = owners.get(name) ?? {}
  owners.set(name, owner)
  return owner
}
afterEach(() => owners.clear())

/** A mutex on a clock of its own, which `work` moves on by `ms` while it holds the mutex. */
function open() {
  const clock = { now: 0 }
  const mutex = new FairMutex({ now: () => clock.now })
  const begun: string[] = []
  const work = (owner: string, ms: number): Promise<void> =>
    mutex.use(async () => {
      begun.push(owner)
      clock.now += ms
    }, ownerOf(owner))
  return { begun, clock, mutex, work }
}

test('one at a time, in order, whatever becomes of the one before', async () => {
  const mutex = new FairMutex()
  const begun: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = mutex.use(async () => {
    begun.push('first')
    await gate.promise
    throw new Error('failed')
  })
  const others = ['second', 'third'].map((name) =>
    mutex.use(async () => {
      begun.push(name)
      return name
    }),
  )
  await new Promise(setImmediate)
  expect(begun).toEqual(['first'])
  gate.resolve()
  await expect(first).rejects.toThrow('failed')
  expect(await Promise.all(others)).toEqual(['second', 'third'])
  expect(begun).toEqual(['first', 'second', 'third'])
})

test('an owner without debt is next; when all debts are worked off, owners are equal', async () => {
  const { begun, clock, work } = open()
  const bombs = ['a', 'b', 'a', 'b', 'a', 'b'].map((owner) => work(owner, 100))
  await Promise.all([...bombs.slice(0, 2)])
  await Promise.all([work('quick', 1), work('quick', 1), ...bombs])
  expect(begun.slice(0, 5).filter((owner) => owner === 'quick')).toHaveLength(2)
  clock.now += 3_600_000
  begun.length = 0
  await Promise.all([work('first', 1), work('a', 1), work('quick', 1)])
  expect(begun).toEqual(['first', 'a', 'quick'])
})

test('newcomers, however many, do not starve an earlier owner', async () => {
  const { begun, clock, mutex, work } = open()
  await work('regular', 20)
  const gate = Promise.withResolvers<void>()
  const busy = mutex.use(() => gate.promise, ownerOf('other'))
  const regular = work('regular', 20)
  // Two wait at any time: another comes while one is worked on.
  let left = 400
  const arrive = (): Promise<unknown> =>
    mutex.use(
      async () => {
        begun.push('newcomer')
        clock.now += 10
        if (left > 0) arrived.push(arrive())
      },
      ownerOf(`newcomer ${left--}`),
    )
  const arrived = [arrive(), arrive()]
  gate.resolve()
  await Promise.all([busy, regular])
  while (arrived.length > 0) await arrived.pop()
  // It held the mutex for 20 ms: newcomers of two seconds may come first, 200 of them.
  expect(begun.indexOf('regular', 1)).toBeWithin(190, 210)
})

test('what an owner used while nobody waited is worked off in a hundred times as long, but at most ten seconds', async () => {
  const { begun, clock, work } = open()
  const regularAndNewcomer = async (): Promise<string[]> => {
    begun.length = 0
    const busy = work('other', 0)
    clock.now += 1
    await Promise.all([busy, work('regular', 0), work('newcomer', 0)])
    return begun.slice(1)
  }
  await work('regular', 20)
  clock.now += 1_998
  expect(await regularAndNewcomer()).toEqual(['regular', 'newcomer'])
  await work('regular', 20)
  clock.now += 1_000
  expect(await regularAndNewcomer()).toEqual(['newcomer', 'regular'])
  await work('regular', 5_000)
  clock.now += 9_990
  expect(await regularAndNewcomer()).toEqual(['newcomer', 'regular'])
  await work('regular', 5_000)
  clock.now += 10_000
  expect(await regularAndNewcomer()).toEqual(['regular', 'newcomer'])
})

test('an abort rejects a waiting caller immediately, and lets running work end', async () => {
  const mutex = new FairMutex()
  const begun: string[] = []
  const gate = Promise.withResolvers<void>()
  const stop = new AbortController()
  const take = (name: string, work = async () => {}) =>
    mutex.use(
      async () => {
        begun.push(name)
        await work()
      },
      ownerOf(name),
      stop.signal,
    )
  const first = take('first', () => gate.promise)
  const given = take('given up')
  const other = mutex.use(async () => void begun.push('other'), ownerOf('other'))
  stop.abort(new Error('gives way'))
  await expect(given).rejects.toThrow('gives way')
  await expect(take('late')).rejects.toThrow('gives way')
  gate.resolve()
  await Promise.all([first, other])
  expect(begun).toEqual(['first', 'other'])
})
