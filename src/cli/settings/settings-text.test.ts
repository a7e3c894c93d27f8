import { expect, test } from 'bun:test'
import { parseEdited, textOf } from './settings-text.ts'

const record = { $type: 'place.sitehost.settings', cleanUrls: true, indexFiles: ['a.html'] }

test('the text has the fields of the record, and as it is it changes nothing', () => {
  expect(textOf(record)).toContain('\n  "cleanUrls": true\n')
  expect(textOf(record)).not.toContain('$type')
  expect(parseEdited(textOf(record), record)).toEqual({ kind: 'unchanged' })
  expect(parseEdited('// nothing\n\n', record)).toEqual({ kind: 'unchanged' })
})

test('fields are set and removed', () => {
  const edited = parseEdited('// a\n{\n  // b\n  "custom404": "no.html"\n}\n', record)
  const settings = { $type: 'place.sitehost.settings', custom404: 'no.html' }
  expect(edited).toEqual({ kind: 'valid', settings } as never)
  expect(parseEdited('{}', record)).toMatchObject({ kind: 'valid' })
})

test('a record that does not parse is shown as it is', () => {
  const broken = { cleanUrls: 'yes' }
  expect(textOf(broken)).toContain('"cleanUrls": "yes"')
  expect(parseEdited(textOf(broken), broken)).toMatchObject({ kind: 'mistake' })
})

test.each([
  ['{\n  "cleanUrls": tru\n}', 'line 2'],
  ['{\n  "cleanUrls": 1\n}', 'line 2, column 16'],
  ['{\n  "colour": "red"\n}', 'line 2'],
  ['{\n  "cleanUrls": true,\n}', 'line'],
  ['[]', 'line 1'],
  ['{ "spaMode": "a.html", "custom404": "b.html" }', 'Only one of'],
])('a mistake is told with its line: %s', (text, sentence) => {
  const edited = parseEdited(text, record)
  expect(edited).toMatchObject({ kind: 'mistake', problem: expect.stringContaining(sentence) })
})
