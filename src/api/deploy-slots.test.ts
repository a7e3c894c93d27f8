import { beforeEach, describe, expect, test } from 'bun:test'
import { accountOf } from '#tests/support/database/sample-rows.ts'
import { DeploySlots } from './deploy-slots.ts'

const { signal } = new AbortController()

let slots: DeploySlots
let elapsedMs: number
/** How long each of them takes. */
let lastMs: number
let inside: number[]
let ends: PromiseWithResolvers<void>
let accounts: number
beforeEach(() => {
  elapsedMs = 0
  lastMs = 5_000
  accounts = 0
  inside = []
  ends = Promise.withResolvers()
  slots = new DeploySlots({ elapsed: () => elapsedMs })
})

interface Asking {
  readonly host?: string | null
  /** Left out: a new one. */
  readonly account?: number
}

/** The n-th of these begins a deploy, which lasts until `ends`. */
const ask = ({ host = null, account = ++accounts }: Asking, n: number): Promise<void> =>
  slots.use({ account: accountOf(account), host }, signal, async () => {
    inside.push(n)
    await ends.promise
  })

/** Which of those that ask, in this order, begin without waiting. */
async function begunOf(...asking: Asking[]): Promise<number[]> {
  const asked = asking.map(ask)
  for (let round = 0; round < 30; round++) await Promise.resolve()
  const begun = [...inside]
  elapsedMs += lastMs
  ends.resolve()
  await Promise.all(asked)
  inside = []
  ends = Promise.withResolvers()
  return begun
}

const hosts = (...names: string[]): Asking[] => names.map((name) => ({ host: `${name}.test` }))

describe('of deploys that begin at a time,', () => {
  test('one is an account’s', async () => {
    expect(await begunOf({ account: 9 }, { account: 9 }, {})).toEqual([0, 2])
  })

  test('two are of a server, whatever its hosts are called', async () => {
    expect(await begunOf(...hosts('a.one', 'b.one', 'c.one', 'two'))).toEqual([0, 1, 3])
  })

  test('three are of servers that are not known to be slow', async () => {
    expect(await begunOf(...hosts('a', 'b', 'c', 'd'))).toEqual([0, 1, 2])
  })
})

test('servers that were slow do not take the permits of others', async () => {
  lastMs = 5_001
  await begunOf(...hosts('a', 'b', 'c'))
  const names = ['a', 'b', 'c', 'a', 'b', 'x', 'y', 'z']
  expect(await begunOf(...hosts(...names))).toEqual([0, 1, 2, 5, 6, 7])
})

test('whoever has waited too long gets 429, and then what it held is free', async () => {
  slots = new DeploySlots({ elapsed: () => 0, waitMsMax: 1 })
  const holding = hosts('a', 'b', 'c').map(ask)
  const late = { account: accountOf(9), host: 'd.test' }
  const refused = slots.use(late, signal, async () => undefined)
  await expect(refused).rejects.toMatchObject({ status: 429 })
  ends.resolve()
  await Promise.all(holding)
  expect(await slots.use(late, signal, async () => 'done')).toBe('done')
})
