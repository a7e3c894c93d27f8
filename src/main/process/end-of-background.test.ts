import { expect, test } from 'bun:test'
import { endOfBackground } from './end-of-background.ts'

const endless = new Promise(() => {})
const gone = AbortSignal.abort()
const running = new AbortController().signal

test.each([
  ['before the signal', running],
  ['after it', gone],
])('work that ends is waited for, %s', async (_, signal) => {
  const order: string[] = []
  const work = Bun.sleep(1).then(() => order.push('work'))
  await endOfBackground(work, signal).then(() => order.push('end'))
  expect(order).toEqual(['work', 'end'])
})

test('work that does not end is left a moment after the signal', async () => {
  await endOfBackground(endless, gone, 1)
  const stop = new AbortController()
  const end = endOfBackground(endless, stop.signal, 1)
  stop.abort()
  await end
})

test('not before it', async () => {
  const end = endOfBackground(endless, running, 1).then(() => 'ended')
  expect(await Promise.race([end, Bun.sleep(20).then(() => 'waits')])).toBe('waits')
})

test('what cannot go on rejects', async () => {
  await expect(endOfBackground(Promise.reject(new Error('?')), running)).rejects.toThrow('?')
})
