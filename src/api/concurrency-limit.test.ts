import { expect, test } from 'bun:test'
import { ConcurrencyLimit } from './concurrency-limit.ts'

const options = { max: 1, sentence: 'Too many.', retryAfterSeconds: 5 }
const refusal = { status: 429, message: 'Too many.', headers: { 'retry-after': '5' } }

test('whoever gets no permit is told to come back', async () => {
  const limit = new ConcurrencyLimit(options)
  const permit = await limit.acquire('alice')
  await expect(limit.acquire('alice')).rejects.toMatchObject(refusal)
  using _ = await limit.acquire('bob')
  permit[Symbol.dispose]()
  using __ = await limit.acquire('alice')
})

test('some may wait, where the limit says so', async () => {
  const limit = new ConcurrencyLimit({ ...options, waitingMax: 1 })
  const permit = await limit.acquire('alice')
  const waiting = limit.acquire('alice')
  await expect(limit.acquire('alice')).rejects.toMatchObject(refusal)
  permit[Symbol.dispose]()
  using _ = await waiting
})

test('the reason of the signal is no refusal', async () => {
  const limit = new ConcurrencyLimit({ ...options, waitingMax: 1 })
  using _ = await limit.acquire('alice')
  const gone = new AbortController()
  const waiting = limit.acquire('alice', gone.signal)
  gone.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})
