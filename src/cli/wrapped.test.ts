import { expect, test } from 'bun:test'
import { wrapped } from './wrapped.ts'

test.each([
  ['Nobody is signed in.', 12, 'Nobody is\nsigned in.'],
  ['Nobody is signed in.', 20, 'Nobody is signed in.'],
  ['See http://127.0.0.1:3000/long now', 10, 'See\nhttp://127.0.0.1:3000/long\nnow'],
  ['', 10, ''],
])('%p in %i columns', (text, width, lines) => {
  expect(wrapped(text, width)).toBe(lines)
})
