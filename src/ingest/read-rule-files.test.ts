import { expect, test } from 'bun:test'
import { BlobLostError } from '#blobs/blob-store.ts'
import { storedFile } from '#tests/support/served-site.ts'
import { readRuleFiles } from './read-rule-files.ts'

// What becomes of the files' texts is told by `ingest-site.test.ts`.

test('a site without rule files asks the store for nothing', async () => {
  const files = new Map([['blog/_redirects', storedFile({ body: '/a /b' }).file]])
  const open = () => Promise.reject(new Error('not reached'))
  const nothing = { redirects: '', headers: '', problems: [] }
  expect(await readRuleFiles(files, null, { open })).toEqual(nothing)
})

test('a verified blob that is lost meanwhile is no empty file', async () => {
  const { file } = storedFile({ body: '/a /b' })
  const reading = readRuleFiles(new Map([['_redirects', file]]), null, { open: async () => null })
  await expect(reading).rejects.toBeInstanceOf(BlobLostError)
})
