import { describe, expect, test } from 'bun:test'
import type { LogEntry } from './log-entry.ts'
import { jsonLine, textLine } from './log-line.ts'

const entry: LogEntry = {
  at: Date.UTC(2026, 10, 22, 22, 10, 1, 123),
  level: 'warn',
  service: 'main-app',
  message: 'publish failed',
  event: 'publish_failed',
  traceId: 'a'.repeat(32),
  context: { did: 'did:plc:alice', files: 3 },
}
const text = (context: LogEntry['context']) =>
  textLine({ ...entry, traceId: null, context }, { colours: false })

test('text: time, level, message and fields', () => {
  expect(textLine(entry, { colours: false })).toBe(
    `2026-11-22T22:10:01.123Z WARN  publish failed  did=did:plc:alice files=3 trace=${entry.traceId}`,
  )
  expect(text({})).toBe('2026-11-22T22:10:01.123Z WARN  publish failed')
})

test('JSON: everything', () => {
  expect(JSON.parse(jsonLine(entry))).toEqual({
    '@timestamp': '2026-11-22T22:10:01.123Z',
    level: 'WARN',
    message: 'publish failed',
    service: 'main-app',
    event: 'publish_failed',
    traceId: entry.traceId,
    properties: { did: 'did:plc:alice', files: 3 },
  })
})

test('a value that is not one word is in quotes', () => {
  const facts: [value: unknown, written: string][] = [
    ['a b', '"a b"'],
    ['a=b', '"a=b"'],
    ['say "no"', '"say \\"no\\""'],
    ['', '""'],
    [null, 'null'],
    [true, 'true'],
    ['Error: x\n    at f (a.ts:1:2)\n    at g', '"Error: x | at f (a.ts:1:2) | at g"'],
  ]
  for (const [value, written] of facts) expect(text({ value })).toEndWith(`  value=${written}`)
})

describe('no value can end the line, colour it or reverse it', () => {
  const hostile = ['\n', '\r', '\u001b[31m', '\u0085', '\u2028', '\u2029', '\u202e', '\u007f', '\0']
  test.each(hostile)('%j', (character) => {
    const context = { path: `a${character}b` }
    const message = `m${character}`
    const lines = [
      jsonLine({ ...entry, context, message }),
      textLine({ ...entry, context, message }, { colours: false }),
    ]
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message, properties: context })
  })
})

test('colours are around the parts, never in them', () => {
  const line = textLine(entry, { colours: true })
  expect(line).toContain('\u001b[33mWARN \u001b[0m')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes are what is removed
  expect(line.replace(/\u001b\[\d+m/g, '')).toBe(textLine(entry, { colours: false }))
})
