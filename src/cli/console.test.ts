import { expect, test } from 'bun:test'
import { PassThrough } from 'node:stream'
import { Console } from './console.ts'

const hostile = 'a\x1b]52;c;aGk=\x07\n::add-mask::b\r\x7f\x9b2J\u202ec'
const escaped = 'a\\u001b]52;c;aGk=\\u0007\\u000a::add-mask::b\\u000d\\u007f\\u009b2J\\u202ec'

function terminal(columns = 200) {
  const [stdout, stderr] = [0, 0].map(() =>
    Object.assign(new PassThrough(), { isTTY: true, columns }),
  )
  const streams = { stdin: process.stdin, stdout, stderr } as unknown as ConstructorParameters<
    typeof Console
  >[0]
  const text = (stream: typeof stdout) => String(stream?.read() ?? '')
  return { console: new Console(streams), out: () => text(stdout), err: () => text(stderr) }
}

test('what a terminal or a CI log would obey is escaped in every line', () => {
  const { console, out, err } = terminal()
  console.say(hostile)
  expect(out()).toBe(`${escaped}\n`)
  console.note(hostile)
  expect(err()).toBe(`${escaped}\n`)
  console.hasColour = true
  console.warn(hostile)
  expect(err()).toBe(`\x1b[33m${escaped}\x1b[0m\n`)
  console.fail(hostile)
  expect(err()).toBe(`\x1b[31m${escaped}\x1b[0m\n`)
  console.progress(hostile, 1_000_000)
  expect(err()).toBe(`\r\x1b[2K${escaped}`)
})

test('sentences are broken between words at a terminal, results are not', () => {
  const { console, out, err } = terminal(12)
  console.fail('Nobody is signed in.')
  expect(err()).toBe('Nobody is\nsigned in.\n')
  console.say('a result of one line')
  expect(out()).toBe('a result of one line\n')
})

test('a line of JSON stays the same value', () => {
  const { console, out } = terminal()
  console.say(JSON.stringify({ path: hostile }))
  const line = out()
  expect(line).toMatch(/^[ -~]+\n$/)
  expect(JSON.parse(line)).toEqual({ path: hostile })
})
