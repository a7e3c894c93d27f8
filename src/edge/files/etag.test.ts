import { expect, test } from 'bun:test'
import { type ETagFacts, etagOf } from './etag.ts'

const facts: ETagFacts = {
  file: { cid: 'bafkreia', hash: 'a', coding: 'gzip' },
  coding: 'identity',
  contentType: 'text/html',
}

test('is strong, begins with the CID, and is the same for the same', () => {
  expect(etagOf(facts)).toMatch(/^"bafkreia-[\w-]{22}"$/)
  expect(etagOf({ ...facts, file: { ...facts.file } })).toBe(etagOf(facts))
})

test.each<[string, Partial<ETagFacts>]>([
  ['what the stored bytes are', { file: { ...facts.file, hash: 'b' } }],
  ['how they hold the content', { file: { ...facts.file, coding: 'identity' } }],
  ['the coding that is sent', { coding: 'gzip' }],
  ['the media type', { contentType: 'text/plain' }],
  ['what browsers do with it', { disposition: 'attachment' }],
])('is another where %s differs', (_, other) => {
  expect(etagOf({ ...facts, ...other })).not.toBe(etagOf(facts))
})
