import { expect, test } from 'bun:test'
import { readConfig } from './config.ts'
import { readUploadLimits } from './site-owner-config.ts'

test('what an upload may have is read whatever the rest is', () => {
  const { fileBytesMax, siteBytesMax, siteFilesMax } = readConfig({}, {}).limits
  expect(readUploadLimits({ BASE_URL: 'https://sitehost.example' })).toEqual({
    fileBytesMax,
    siteBytesMax,
    siteFilesMax,
  })
  expect(readUploadLimits({ MAX_SITE_BYTES: '7' }).siteBytesMax).toBe(7)
  expect(() => readUploadLimits({ MAX_FILE_BYTES: 'lots' })).toThrow(/MAX_FILE_BYTES/)
})
