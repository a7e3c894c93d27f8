import { beforeEach, expect, test } from 'bun:test'
import type { Head } from '#edge/files/representation.ts'
import { SerializedAnswers } from './serialized-answers.ts'

const body = new Blob(['hello'])
const date = 'date: Thu, 01 Jan 1970 00:00:00 GMT\r\n'
const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('latin1')
let now = 0
beforeEach(() => {
  now = 0
})

const headOf = (fields: Record<string, string>, status = 200): Head => ({
  status,
  headers: new Headers(fields),
})
const open = (hstsSeconds = 0) => new SerializedAnswers({ hstsSeconds, now: () => now })

test('an answer is kept as HTTP/1.1 sends it', async () => {
  const [answers, head] = [open(), headOf({ 'content-length': '5' })]
  expect(answers.find({ head, body }, null)).toBeNull()
  const made = await answers.serialize({ head, body }, null)
  expect(text(made)).toBe(`HTTP/1.1 200 OK\r\n${date}content-length: 5\r\n\r\nhello`)
  expect(answers.find({ head, body }, null)).toBe(made)
  expect(answers.find({ head: headOf({}), body }, null)).toBeNull()
})

test('without a body', async () => {
  const head = headOf({ etag: '"a"' }, 304)
  const made = await open().serialize({ head, body: null }, null)
  expect(text(made)).toBe(`HTTP/1.1 304 Not Modified\r\n${date}etag: "a"\r\n\r\n`)
})

test.each([
  [0, {}, ''],
  [60, {}, 'strict-transport-security: max-age=60\r\n'],
  [60, { 'strict-transport-security': 'max-age=1' }, 'strict-transport-security: max-age=1\r\n'],
])('with the fields of TLS: HSTS for %d seconds beside %p', async (seconds, own, fields) => {
  const made = await open(seconds).serialize({ head: headOf(own), body: null }, null)
  expect(text(made)).toBe(`HTTP/1.1 200 OK\r\n${date}${fields}\r\n`)
})

test('one with another Alt-Svc takes its place', async () => {
  const [answers, head] = [open(), headOf({})]
  await answers.serialize({ head, body }, null)
  expect(answers.find({ head, body }, 'h3=":1"')).toBeNull()
  await answers.serialize({ head, body }, 'h3=":1"')
  expect(text(answers.find({ head, body }, 'h3=":1"'))).toContain('alt-svc: h3=":1"\r\n')
  expect(answers.find({ head, body }, null)).toBeNull()
})

test('its date is of the second in which it is found, also of one that took longer to serialize', async () => {
  const [answers, head, other] = [open(), headOf({}), headOf({})]
  const slow = answers.serialize({ head, body }, null)
  now = 1_000
  await answers.serialize({ head: other, body: null }, null)
  expect(text(await slow)).toContain('00:00:01 GMT')
  now = 61_999
  expect(text(answers.find({ head, body }, null))).toContain('00:01:01 GMT')
})

test('all are forgotten, and what is being serialized is not kept then', async () => {
  const [answers, head, other] = [open(), headOf({}), headOf({})]
  await answers.serialize({ head, body }, null)
  const late = answers.serialize({ head: other, body }, null)
  answers.forgetAll()
  expect(text(await late)).toEndWith('hello')
  expect([head, other].map((each) => answers.find({ head: each, body }, null))).toEqual([
    null,
    null,
  ])
})
