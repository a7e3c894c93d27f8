import { expect, test } from 'bun:test'
import { parsePreviewLabel, previewLabel } from './preview-label.ts'

const longest = 'a'.repeat(35)

test.each<[string, string, string]>([
  ['pr-12--blog', 'pr-12', 'blog'],
  ['staging--my-blog', 'staging', 'my-blog'],
  [`pr1--${'a2'.repeat(13)}`, 'pr1', 'a2'.repeat(13)],
  [`${longest}--${'b'.repeat(26)}`, longest, 'b'.repeat(26)],
])('%s', (label, alias, of) => {
  expect(parsePreviewLabel(label)).toEqual({ alias, of })
  expect(previewLabel(alias, of)).toBe(label)
})

test('at a site’s own label it has the label’s 26 characters, and above 63 characters no address', () => {
  expect(previewLabel('pr-12', `s--${'a2'.repeat(13)}`)).toBe(`pr-12--${'a2'.repeat(13)}`)
  expect(previewLabel(longest, 'b'.repeat(27))).toBeNull()
})

test.each([
  ['blog'],
  ['pr--blog'],
  [`s--${'a2'.repeat(13)}`],
  [`v--${'a2'.repeat(13)}`],
  ['xn--blog'],
  ['--blog'],
  ['pr-12--'],
  ['pr-12---blog'],
  ['-pr--blog'],
  ['pr-12--blog-'],
  ['pr-12--one--two'],
  ['PR-12--blog'],
  ['x.pr-12--blog'],
  [`${longest}a--blog`],
  // A label of DNS has at most 63 characters.
  [`${longest}--${'b'.repeat(27)}`],
  [''],
])('%s is none', (label) => {
  expect(parsePreviewLabel(label)).toBeNull()
})
