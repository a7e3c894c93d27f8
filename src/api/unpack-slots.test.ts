import { expect, test } from 'bun:test'
import { accountOf, alice, bob } from '#tests/support/database/sample-rows.ts'
import { UnpackSlots } from './unpack-slots.ts'

/** Which of those that ask for a slot, in this order, have one; then all go away. */
async function insideOf(dids: readonly (typeof alice)[]): Promise<number[]> {
  const slots = new UnpackSlots()
  const gone = new AbortController()
  const inside: number[] = []
  const asked = dids.map((did, n) => slots.take(did, gone.signal).then(() => inside.push(n)))
  for (let round = 0; round < 10; round++) await Promise.resolve()
  gone.abort()
  await Promise.allSettled(asked)
  return inside
}

test('one archive of an account at a time, and others’ do not wait for it', async () => {
  expect(await insideOf([alice, alice, alice, bob])).toEqual([0, 3])
})

test('four archives at a time in all', async () => {
  expect(await insideOf([1, 2, 3, 4, 5, 6].map(accountOf))).toEqual([0, 1, 2, 3])
})

test('the next one has its turn when one has ended, in the order in which they came', async () => {
  const slots = new UnpackSlots()
  const first = await slots.take(alice)
  const order: string[] = []
  const take = async (what: string): Promise<void> => {
    using _ = await slots.take(alice)
    order.push(what)
  }
  const waiting = [take('second'), take('third')]
  first[Symbol.dispose]()
  await Promise.all(waiting)
  expect(order).toEqual(['second', 'third'])
})

test('whoever has waited too long is told to come back: 429', async () => {
  const slots = new UnpackSlots({ waitMsMax: 1 })
  using _ = await slots.take(alice)
  await expect(slots.take(alice)).rejects.toMatchObject({ status: 429 })
  using others = new DisposableStack()
  for (const n of [1, 2, 3]) others.use(await slots.take(accountOf(n)))
  await expect(slots.take(bob)).rejects.toMatchObject({ status: 429 })
  // What a refused one had taken already is free again.
  others.dispose()
  using again = await slots.take(bob)
  expect(again).toBeDefined()
})

test('an upload that has ended waits no more', async () => {
  const slots = new UnpackSlots()
  using _ = await slots.take(alice)
  const gone = new AbortController()
  const waiting = slots.take(alice, gone.signal)
  gone.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})
