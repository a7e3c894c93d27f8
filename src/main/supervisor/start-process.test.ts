import { expect, test } from 'bun:test'
import { defaultPurgeDelayMs } from '#main/process/purge-delay.ts'
import { environmentOf } from './start-process.ts'

test.each([
  ['edge', {}, '-1'],
  ['edge', { MIMALLOC_PURGE_DELAY: '30000' }, '-1'],
  ['edge', { MIMALLOC_PURGE_DELAY: '100' }, '100'],
  ['core', {}, undefined],
  ['core', { MIMALLOC_PURGE_DELAY: '30000' }, '30000'],
  ['core', { MIMALLOC_PURGE_DELAY: '-1' }, '-1'],
] as const)('a process of kind %s with %j returns freed memory after %p', (kind, given, after) => {
  const { MIMALLOC_PURGE_DELAY } = environmentOf(kind, given)
  expect(MIMALLOC_PURGE_DELAY).toBe(after)
})

test('the sources are started with the delay that the binary has', async () => {
  const text = await Bun.file(new URL('../../../bin/sitehost', import.meta.url)).text()
  expect(text).toContain(`MIMALLOC_PURGE_DELAY-${defaultPurgeDelayMs}}`)
})
