import { expect, test } from 'bun:test'
import { preferredLanguage } from './accept-language.ts'

test.each<[string | null, string | null]>([
  [null, null],
  ['', null],
  ['*', null],
  ['en', 'en'],
  ['de-CH, en', 'de-ch'],
  ['en;q=0.5, de', 'de'],
  ['en;q=0.5, de;q=0.6', 'de'],
  ['en;q=0.5, de;q=0.5', 'en'],
  ['*, fr;q=0.1', 'fr'],
  ['en;q=0', null],
  ['en;q=2, de;q=0.1', 'de'],
])('Accept-Language %j: %p', (header, language) => {
  expect(preferredLanguage(header)).toBe(language)
})
