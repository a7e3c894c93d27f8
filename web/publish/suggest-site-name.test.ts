import { expect, test } from 'bun:test'
import { parseSiteName } from '#site/site-name.ts'
import { freeSiteName, suggestSiteName } from './suggest-site-name.ts'

const suggestions: [string, string][] = [
  ['blog', 'blog'],
  ['My Site', 'My-Site'],
  ['Café photos (2)', 'Cafe-photos-2'],
  ['alice.example.com', 'alice.example.com'],
  ['a~b:c_d', 'a~b:c_d'],
  ['.', ''],
  ['..', ''],
  ['...well', 'well'],
  ['日本', ''],
  ['dist', ''],
  ['Public', ''],
  ['dist-2', 'dist-2'],
  ['', ''],
  ['x'.repeat(600), 'x'.repeat(512)],
]

test.each(suggestions)('%j suggests %j', (folder, name) => {
  expect(suggestSiteName(folder)).toBe(name)
  if (name !== '') expect(parseSiteName(name) as string).toBe(name)
})

test('a name that a site has already gets the next free number', () => {
  expect(freeSiteName('garden', ['blog'])).toBe('garden')
  expect(freeSiteName('garden', ['garden', 'garden-2'])).toBe('garden-3')
  const longest = 'x'.repeat(512)
  expect(parseSiteName(freeSiteName(longest, [longest]))).not.toBe(null)
})
