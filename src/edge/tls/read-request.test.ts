import { expect, test } from 'bun:test'
import { requestReader } from './read-request.ts'

const read = requestReader()
const requestOf = (bytes: number) => {
  const [start, end] = ['GET / HTTP/1.1\r\nhost: a.example\r\nx:', 'b\r\n\r\n']
  return Buffer.from(start + ' '.repeat(bytes - start.length - end.length) + end)
}

// The parser does not count spaces in front of a value.
test('a head of 16 kB is read here, and a longer one is not', () => {
  expect(read?.(requestOf(16_384), 'a.example')).toMatchObject({ target: '/' })
  expect(read?.(requestOf(16_385), 'a.example')).toBeNull()
})
