import { expect, test } from 'bun:test'
import { readiness } from './readiness.ts'

const well = async () => undefined

test('ready when all answer', async () => {
  await readiness({ database: well, blobs: well })()
})

test('not when one fails', async () => {
  const failing = readiness({ database: well, blobs: () => Promise.reject(new Error('EIO')) })
  await expect(failing()).rejects.toThrow('EIO')
  await expect(failing()).rejects.toThrow('EIO')
})

test('what hangs is waited for so long, and asked once', async () => {
  let asked = 0
  let answer = (): void => {}
  const hanging = async () => {
    asked++
    await new Promise<void>((resolve) => {
      answer = resolve
    })
  }
  const assertReady = readiness({ database: well, blobs: hanging }, 1)
  for (let n = 0; n < 3; n++) await expect(assertReady()).rejects.toThrow(/no answer .* of=blobs/)
  expect(asked).toBe(1)
  answer()
  await Bun.sleep(0)
  await expect(assertReady()).rejects.toThrow('no answer')
  expect(asked).toBe(2)
})
