import { expect, test } from 'bun:test'
import { matchesSearch } from './matches-search.ts'

const site = {
  displayName: 'Café Notes',
  rkey: 'cafe-notes',
  url: 'http://s--abc.sites.example/',
  domains: [{ type: 'sitehost', domain: 'ann.sites.example' }],
} as const

const searches: [string, boolean][] = [
  ['', true],
  ['  ', true],
  ['cafe', true],
  ['CAFÉ', true],
  ['notes ann', true],
  ['s--abc', true],
  ['notes bob', false],
  ['cafes', false],
]
test.each(searches)('%j: %p', (search, isFound) => {
  expect(matchesSearch({ ...site, domains: [...site.domains] }, search)).toBe(isFound)
})
