import { expect, test } from 'bun:test'
import { chooseLocale } from './locales.ts'

const choices: [chosen: string | null, preferred: string[], locale: string][] = [
  [null, [], 'en'],
  [null, ['de-AT', 'en'], 'de'],
  [null, ['fr', 'de'], 'de'],
  [null, ['fr', 'nl'], 'en'],
  ['en', ['de'], 'en'],
  ['de', ['en'], 'de'],
  ['tlh', ['de'], 'de'],
  [null, ['DE'], 'de'],
  [null, ['den'], 'en'],
]
test.each(choices)('chosen %j, browser %j: %s', (chosen, preferred, locale) => {
  expect<string>(chooseLocale(chosen, preferred)).toBe(locale)
})
