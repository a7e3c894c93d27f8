import { describe, expect, test } from 'bun:test'
import {
  headerBlocksMax,
  headerFieldsMax,
  headerLineCharsMax,
  headerLinesMax,
  headerNameCharsMax,
  headerSearchesMax,
  headerValueCharsMax,
  headerValueNamesMax,
  ruleFileBytesMax,
  ruleProblemsMax,
} from '#site/limits.ts'
import { runAtOnce } from '#site/steps.ts'
import { SearchBudget } from './glob.ts'
import { readHeadersFile } from './headers-file.ts'

const read = (text: string) => runAtOnce(readHeadersFile(text, new SearchBudget()))
const problemsOf = (text: string) => read(text).problems
const changesOf = (text: string) => read(text).blocks.flatMap(({ changes }) => changes)

describe('a problem', () => {
  const neverSettable = [
    'Content-Length',
    'Transfer-Encoding',
    'Content-Encoding',
    'Content-Range',
    'ETag',
    'Location',
    'Connection',
    'Upgrade',
    'Date',
    'Server',
    'Trailer',
    'Age',
    'Alt-Svc',
    'Accept-Ranges',
    'Allow',
    'Keep-Alive',
    'X-Accel-Redirect',
    'X-Sendfile',
    'X-Sitehost-Record',
    'X-Accel-Buffering',
    'X-LiteSpeed-Location',
    'X-Reproxy-URL',
    'Set-Cookie2',
    'Public-Key-Pins-Report-Only',
    'Last-Modified',
    'Status',
    'TE',
    // which some servers take for the same
    'Content_Length',
    'X_Accel_Redirect',
  ]
  test.each<[string, number, string]>([
    // where
    ['X-A: b\n/a\nX-A: b', 1, 'expected a path above'],
    ['/a b\nX-A: b', 1, 'no spaces'],
    ['/*/:a/*\nX-A: b', 1, 'has :a between two *'],
    ['/.well-known/acme-challenge/*\nX-A: b', 1, 'has no effect'],
    ['/a?b\nX-A: b', 1, 'is not only a path'],
    ['/:a/:a\nX-A: b', 1, ':a more than once'],
    ['/%zz\nX-A: b', 1, 'is not a path'],
    ['/v:id\nX-A: b', 1, 'takes v:id literally'],
    ['http://a.test/\nX-A: b', 1, 'expected https://'],
    ['https://a.test:8080/\nX-A: b', 1, 'expected https://'],
    ['/a\n/b\nX-A: b', 1, 'no headers below'],
    // what
    ['/a\nX-A: b\nnonsense', 3, 'expected a path, Name: value or ! Name'],
    ['/a\nX-A:', 2, 'expected a value'],
    ['/a\nX A: b', 2, 'expected the name'],
    ['/a\n: b', 2, 'expected the name'],
    ['/a\n!', 2, 'expected the name'],
    ['/a\n! X A', 2, 'expected the name'],
    ['/a\n! X-A: b', 2, 'expected the name'],
    ['/a\nX-É: b', 2, 'expected the name'],
    ['/a\nX-A: é', 2, 'visible ASCII'],
    ['/a\nX-A: b\tc', 2, 'visible ASCII'],
    ['/a\nX-A: b\rSet-Cookie: c', 2, 'visible ASCII'],
    ['/a\nX-A: \x7fb', 2, 'visible ASCII'],
    ['/a\nX-A: \0b', 2, 'visible ASCII'],
    ['/a\nX-Content-Type-Options: none', 2, 'always nosniff'],
    ['/a\n! X-Content-Type-Options', 2, 'always nosniff'],
    ...[
      'utf-7',
      'UTF7',
      '"unicode-1-1-utf-7"',
      '"utf\\-7"',
      '""',
      '"a b"',
      'utf-8; Charset=utf-7',
    ].map((charset): [string, number, string] => [
      `/a\nContent-Type: text/html; charset=${charset}`,
      2,
      'this charset is not sent; leave it out',
    ]),
    ['/a\nContent-Type: text/html, text/html;charset = utf-7', 2, 'this charset is not sent'],
    ['/a\nBasic-Auth: me:secret', 2, 'would reveal the password'],
    ['/a\nStrict-Transport-Security: max-age=1', 2, 'only sent on a domain of your own'],
    ['/a\nset_cookie: b', 2, 'only sent on a domain of your own'],
    ...neverSettable.flatMap((name): [string, number, string][] => [
      [`/a\n${name}: b`, 2, 'cannot be set'],
      [`/a\n! ${name.toUpperCase()}`, 2, 'cannot be set'],
    ]),
  ])('%j, line %d: %s', (text, line, message) => {
    expect(problemsOf(text)).toEqual([{ line, message: expect.stringContaining(message) }])
  })

  test('does not affect the lines next to it', () => {
    const text = '/*/:a/*\nX-A: 1\n/a\nX-A: é\nX-B: 2\n! Date\nX-C: 3\nnonsense\n/b\nX-D: 4'
    expect(changesOf(text).map(({ name }) => name)).toEqual(['x-b', 'x-c', 'x-d'])
  })

  test('with a line that could not be read hides the lines below it: they may have been about it', () => {
    const long = `/${'a'.repeat(headerLineCharsMax)}`
    for (const line of [long, '/\uFFFD']) {
      const { blocks, problems } = read(`/a\nX-A: 1\n${line}\nX-B: 2\n/b\nX-C: 3`)
      expect(blocks.map(({ changes }) => changes.map(({ name }) => name))).toEqual([
        ['x-a'],
        ['x-c'],
      ])
      expect(problems.map(({ line }) => line)).toEqual([3, 4])
    }
  })
})

describe('no problem', () => {
  test.each([
    '',
    '# nothing',
    '/a\nX-Content-Type-Options: nosniff',
    '/a\nx-content-type-options: NoSniff',
    '/a\nContent-Type: text/plain; charset="UTF8"; charset=utf-8;',
    '/a\nContent-Type: text/html; charset=iso-8859-1',
    '/a\nContent-Type: text/html; charset',
    '/:x\nContent-Type: text/html; charset=:x',
    '/a # comment\nX-A: b',
    'https://a.test/*\nX-A: b',
    `/a\nLink: <https://a.test/b>; rel=preload, </c>; rel="x"`,
    `/a\nReport-A:https://a.test`,
    '/a\n!X-A',
    "/a\n!#$%&'*+-.^_`|~09azAZ: b",
  ])('%j', (text) => {
    expect(problemsOf(text)).toEqual([])
  })
})

describe('limits, both sides', () => {
  const blocks = (count: number) => '/a\nX-A: b\n'.repeat(count)
  const lines = (count: number) => `/a\n${'X-A: b\n! X-A\n# c\n'.repeat(count / 2)}`
  const searches = (count: number) =>
    '/*a*b*\nX-A: b\n'.repeat(count / 2) + '/*/a/*\nX-A: b\n'.repeat(count % 2)
  const names = (count: number) =>
    `/a\n${Array.from({ length: count }, (_, i) => `X${i}: b\nX${i}: c\n`).join('')}`
  const longest = `/\na: b\n\n${'#\n'.repeat((ruleFileBytesMax - 8) / 2)}`
  test.each<[string, string, string, number]>([
    ['blocks', blocks(headerBlocksMax), blocks(headerBlocksMax + 1), headerBlocksMax * 2 + 1],
    ['lines', lines(headerLinesMax), `${lines(headerLinesMax)}nonsense`, headerLinesMax * 1.5 + 2],
    ['names', names(headerFieldsMax), `${names(headerFieldsMax)}! X`, headerFieldsMax * 2 + 2],
    [
      'name',
      `/\n${'a'.repeat(headerNameCharsMax)}: b`,
      `/\n${'a'.repeat(headerNameCharsMax + 1)}: b`,
      2,
    ],
    [
      'value',
      `/\na: ${'b'.repeat(headerValueCharsMax)}`,
      `/\na: ${'b'.repeat(headerValueCharsMax + 1)}`,
      2,
    ],
    [
      'names in a value',
      `/:b\na: ${':b'.repeat(headerValueNamesMax)}:c`,
      `/:b\na: ${':b'.repeat(headerValueNamesMax + 1)}`,
      2,
    ],
    [
      'searches',
      searches(headerSearchesMax),
      searches(headerSearchesMax + 1),
      headerSearchesMax + 1,
    ],
    ['file', longest, `${longest}a`, longest.split('\n').length],
  ])('%s', (_, most, tooMuch, line) => {
    expect(problemsOf(most)).toEqual([])
    expect(problemsOf(tooMuch)).toEqual([{ line, message: expect.stringMatching(/more|longer/) }])
  })

  test('blocks beyond 2000 are not read', () => {
    expect(read(blocks(headerBlocksMax + 1)).blocks).toHaveLength(headerBlocksMax)
  })

  test('lines beyond 2000 are not read, and reported once', () => {
    const text = `/a\n${'X-A: b\n'.repeat(headerLinesMax * 2)}/b\nX-B: c`
    expect(changesOf(text)).toHaveLength(headerLinesMax)
    expect(problemsOf(text)).toHaveLength(1)
  })

  test('of 65 different headers the last is not used', () => {
    const text = `${names(headerFieldsMax + 1)}/b\n! X0`
    expect(changesOf(text)).toHaveLength(headerFieldsMax * 2 + 1)
  })

  test('lists the first problems of a file without any valid line', () => {
    expect(problemsOf('nonsense\n'.repeat(ruleProblemsMax))).toHaveLength(ruleProblemsMax)
    expect(problemsOf('nonsense\n'.repeat(ruleProblemsMax + 5))).toHaveLength(ruleProblemsMax + 1)
  })
})
