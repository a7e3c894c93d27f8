import { expect, test } from 'bun:test'
import { accountOf, alice, bob } from '#tests/support/sample-rows.ts'
import { UnpackSlots } from './unpack-slots.ts'

/** Takes slots for these accounts, and says which of them have one. */
async function contend(dids: readonly (typeof alice)[]) {
  const slots = new UnpackSlots()
  const inside: { readonly n: number; readonly slot: Disposable }[] = []
  for (const [n, did] of dids.entries()) {
    void slots.take(did).then((slot) => inside.push({ n, slot }))
  }
  return async (): Promise<number[]> => {
    for (let round = 0; round < 10; round++) await Promise.resolve()
    return inside.map(({ n }) => n)
  }
}

test('one archive of an account at a time, and others’ do not wait for it', async () => {
  const inside = await contend([alice, alice, alice, bob])
  expect(await inside()).toEqual([0, 3])
})

test('four archives at a time in all', async () => {
  const inside = await contend([1, 2, 3, 4, 5, 6].map(accountOf))
  expect(await inside()).toEqual([0, 1, 2, 3])
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
  expect(slots.take(alice)).rejects.toMatchObject({ status: 429 })
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
