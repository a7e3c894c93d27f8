import { expect, test } from 'bun:test'
import { slowestReadMs } from './slowest-read.ts'

test.each([
  [0, 60_000],
  [8 * 1024, 61_000],
  [8 * 1024 * 60, 120_000],
])('%d bytes may take %d ms', (bytes, ms) => expect(slowestReadMs(bytes)).toBe(ms))
