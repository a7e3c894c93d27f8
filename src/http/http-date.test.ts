import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseHttpDate } from './http-date.ts'

test.each<[string, number | null]>([
  ['Sun, 06 Nov 1994 08:49:37 GMT', 784111777],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 784111777],
  ['Sun Nov  6 08:49:37 1994', 784111777],
  ['Sun Nov 16 08:49:37 1994', 784975777],
  ['Wednesday, 01-Jan-69 00:00:00 GMT', 3124224000],
  ['Thursday, 01-Jan-70 00:00:00 GMT', 0],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['', null],
  ['1994-11-06T08:49:37Z', null],
  ['784111777', null],
  ['Sun, 06 Nov 1994 08:49:37', null],
  ['Sun, 06 Nov 1994 08:49:37 UTC', null],
  ['Sun, 06 Nov 1994 08:49:37 +0000', null],
  ['Sun, 6 Nov 1994 08:49:37 GMT', null],
  ['Sun, 06 Nov 1994 8:49:37 GMT', null],
  ['Sun, 06 Nov 1994 24:49:37 GMT', null],
  ['Sun, 06 Nov 1994 08:60:37 GMT', null],
  ['Sun, 32 Nov 1994 08:49:37 GMT', null],
  ['Sun, 00 Nov 1994 08:49:37 GMT', null],
  ['Sun, 06 Xxx 1994 08:49:37 GMT', null],
  ['sun, 06 nov 1994 08:49:37 gmt', null],
  ['Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT', null],
  ['Sun, 06 Nov 1994 08:49:37 GMT\n', null],
])('%j: %p', (text, seconds) => {
  expect(parseHttpDate(text)).toBe(seconds)
})

test('reads what toUTCString writes', () => {
  const date = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(date, (date) => {
      expect(parseHttpDate(date.toUTCString())).toBe(Math.floor(date.getTime() / 1000))
    }),
  )
})
