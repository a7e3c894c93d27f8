import { beforeEach, expect, test } from 'bun:test'
import { LoadingTtlMap } from './loading-ttl-map.ts'

let time: number
let loads: PromiseWithResolvers<string>[]
let map: LoadingTtlMap<string>
beforeEach(() => {
  time = 0
  loads = []
  const load = () => {
    const started = Promise.withResolvers<string>()
    loads.push(started)
    return started.promise
  }
  map = new LoadingTtlMap(load, { max: 10, ttlMs: 100, now: () => time })
})

test('callers share one load, and its value until its time is over', async () => {
  const calls = [map.get('a'), map.get('a')]
  loads[0]?.resolve('A')
  expect(await Promise.all(calls)).toEqual(['A', 'A'])
  time = 99
  expect([await map.get('a'), loads.length]).toEqual(['A', 1])
  time = 100
  const again = map.get('a')
  loads[1]?.resolve('B')
  expect(await again).toBe('B')
})

for (const how of ['forget', 'forgetAll'] as const) {
  test(`a load that ${how} overtook is not kept`, async () => {
    const early = map.get('a')
    map[how]('a')
    const late = map.get('a')
    loads[1]?.resolve('late')
    loads[0]?.resolve('early')
    expect([await early, await late, await map.get('a')]).toEqual(['early', 'late', 'late'])
    map[how]('a')
    void map.get('a')
    expect(loads).toHaveLength(3)
  })
}

test('a load that failed is tried again', async () => {
  const failing = map.get('a')
  loads[0]?.reject(new Error('away'))
  await expect(failing).rejects.toThrow('away')
  const again = map.get('a')
  loads[1]?.resolve('A')
  expect(await again).toBe('A')
})
