import { expect, test } from 'bun:test'
import { readiness } from './readiness.ts'

const well = { problem: 'The database does not answer.', ask: async () => undefined }
const blobs = 'The blobs are away.'

test('ready when all answer', async () => {
  expect(await readiness([well, { ...well, problem: blobs }])()).toEqual([])
})

test('what fails is named, with its error for the log', async () => {
  const error = new Error('EIO')
  const unready = readiness([well, { problem: blobs, ask: () => Promise.reject(error) }])
  for (let n = 0; n < 2; n++) expect(await unready()).toEqual([{ problem: blobs, error }])
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
  const unready = readiness([well, { problem: blobs, ask: hanging }], 1)
  for (let n = 0; n < 3; n++) {
    expect(await unready()).toMatchObject([{ problem: blobs, error: { name: 'NoAnswerError' } }])
  }
  expect(asked).toBe(1)
  answer()
  await Bun.sleep(0)
  expect(await unready()).toHaveLength(1)
  expect(asked).toBe(2)
})
