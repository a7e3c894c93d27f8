import { expect, test } from 'bun:test'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { namedParts } from './named-parts.ts'

const read = (json: string) => namedParts(Buffer.from(json), alice)
const uri = (key: string) => `at://${alice}/place.sitehost.subfs/${key}`

test('a record without parts names none', () => {
  expect(read(JSON.stringify({ root: { entries: [{ name: 'ü"\n', node: {} }] } }))).toEqual([])
})

test('parts of the account are named, wherever they are, and those of others are not', () => {
  const record = { a: uri('one'), b: [{ subject: uri('two') }], c: `at://${bob}/x/y` }
  expect(read(JSON.stringify(record))).toEqual([uri('one'), uri('two')])
})

test.each([
  ['a slash', JSON.stringify({ a: uri('one') }).replaceAll('/', '\\/')],
  ['a letter', JSON.stringify({ a: uri('one') }).replace('subfs', 's\\u0075bfs')],
])('an escape of %s: not known', (_, json) => expect(read(json)).toBeNull())
