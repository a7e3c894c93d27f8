import { expect, test } from 'bun:test'
import { presentable, startLog } from './log.ts'

test('one line of JSON an entry, whatever the fields hold', async () => {
  const lines: string[] = []
  await using log = await startLog((line) => lines.push(line), 'info')
  log.debug('not at this level')
  log.warn('upload failed', { path: 'a\r\nb', attempts: 2 })
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).not.toContain('\n')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'WARN',
    message: 'upload failed',
    properties: { path: 'a\r\nb', attempts: 2 },
  })
})

test('secrets are not written, long values are cut, causes are told', () => {
  const failure = new Error('refresh failed', { cause: new TypeError('offline') })
  expect(
    presentable({
      accessToken: 'abc',
      Cookie: 'did=1',
      query: '?code=1',
      long: 'x'.repeat(600),
      failure,
    }),
  ).toEqual({
    accessToken: '[redacted]',
    Cookie: '[redacted]',
    query: '[redacted]',
    long: `${'x'.repeat(511)}…`,
    failure: 'Error: refresh failed <- TypeError: offline',
  })
})
