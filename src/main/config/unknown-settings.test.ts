import { expect, test } from 'bun:test'
import { settings } from './settings.ts'
import { editDistance, unknownSettingSentence, unknownSettings } from './unknown-settings.ts'

test.each<[string, string | null]>([
  ['BAES_URL', 'BASE_URL'],
  ['BASEURL', 'BASE_URL'],
  ['base_url', 'BASE_URL'],
  ['SITEHOST_BASE_URL', 'BASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['PROT', 'PORT'],
  ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
  ['SITEHOST_MODE', null],
])('%s is reported, %p was meant', (name, meant) => {
  expect(unknownSettings({ [name]: 'x' })).toEqual([{ name, meant }])
})

test.each(['PATH', 'HOME', 'HOSTNAME', 'USER', 'LANG', 'TERM', 'PWD', 'NODE_ENV', 'XDG_DATA_DIRS'])(
  '%s is nobody’s typo',
  (name) => {
    expect(unknownSettings({ [name]: 'x' })).toEqual([])
  },
)

test('settings are not reported', () => {
  const all = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, 'x']))
  expect(unknownSettings(all)).toEqual([])
})

test('the sentence names what was meant', () => {
  expect(unknownSettingSentence({ name: 'BAES_URL', meant: 'BASE_URL' })).toBe(
    'BAES_URL is not a setting of Sitehost: BASE_URL is one',
  )
  expect(unknownSettingSentence({ name: 'SITEHOST_X', meant: null })).toEndWith('of Sitehost')
})

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['abc', '', 3],
  ['abc', 'acb', 1],
  ['kitten', 'sitting', 3],
])('from %p to %p: %d', (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance)
})
