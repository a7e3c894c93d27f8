import { describe, expect, test } from 'bun:test'
import { orAborted, withTimeout } from './or-aborted.ts'

const never = new Promise<never>(() => {})
const failing = () => Promise.reject(new Error('failed'))

describe('until the signal is aborted', () => {
  test.each([['a signal', new AbortController().signal] as const, ['none', undefined] as const])(
    'work ends as it does, with %s',
    async (_, signal) => {
      expect(await orAborted(Promise.resolve(1), signal)).toBe(1)
      await expect(orAborted(failing(), signal)).rejects.toThrow('failed')
    },
  )

  test('does not wait for work that continues', async () => {
    const stop = new AbortController()
    const waiting = orAborted(never, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    await expect(orAborted(never, stop.signal)).rejects.toThrow('stopped')
  })
})

describe('within a time', () => {
  test('work ends as it does', async () => {
    const late = () => 'late'
    expect(await withTimeout(Promise.resolve(1), 60_000, late)).toBe(1)
    await expect(withTimeout(failing(), 60_000, late)).rejects.toThrow('failed')
  })

  test('and what comes in place of it afterwards', async () => {
    expect(await withTimeout(never, 1, () => 'late')).toBe('late')
    const late = (): never => {
      throw new Error('too late')
    }
    await expect(withTimeout(never, 1, late)).rejects.toThrow('too late')
  })
})
