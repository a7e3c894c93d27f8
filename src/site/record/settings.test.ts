import { describe, expect, test } from 'bun:test'
import { is } from '@atcute/lexicons/validations'
import fc from 'fast-check'
import { PlaceSitehostSettings } from '#lexicons/index.ts'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { defaultSettings, parseSettings } from './settings.ts'

const $type = 'place.sitehost.settings'
const onlyOne = 'Only one of spaMode, directoryListing, or custom404 can be enabled'

/** What becomes of a request's body: the record, or the sentence. */
function read(json: string): unknown {
  const result = parseSettings(JSON.parse(json))
  return result.ok ? result.settings : result.error
}

const check = (input: unknown): unknown => read(JSON.stringify(input))

const full = {
  indexFiles: ['index.html', 'index.htm'],
  cleanUrls: true,
  trailingSlash: 'never',
  directoryListing: false,
  spaMode: 'app/index.html',
  custom404: '',
  headers: [
    { name: 'Cache-Control', value: 'public, max-age=60', path: '/assets/*' },
    { name: 'X-Robots-Tag', value: '' },
  ],
}

describe('settings are kept as they were sent', () => {
  for (const settings of [full, {}, defaultSettings, { indexFiles: [] }, { headers: [] }]) {
    test(JSON.stringify(settings).slice(0, 80), () => {
      expect(check(settings)).toEqual({ $type, ...settings })
    })
  }

  test('drops unknown fields, at any depth', () => {
    const { headers, ...rest } = full
    const sent = { ...rest, $type: 'x', theme: 1, headers: headers.map((h) => ({ ...h, x: 1 })) }
    expect(check(sent)).toEqual({ $type, ...full })
  })

  for (const key of ['__proto__', 'constructor', 'toString', 'prototype']) {
    test(`without ${key}, and nothing else changes`, () => {
      const settings = read(`{"${key}":{"cleanUrls":true,"polluted":1},"directoryListing":true}`)
      expect(JSON.stringify(settings)).toBe(`{"$type":"${$type}","directoryListing":true}`)
      expect(Object.getPrototypeOf(settings)).toBe(Object.prototype)
      expect(({} as { polluted?: number }).polluted).toBeUndefined()
    })
  }
})

describe('a page that is not set', () => {
  for (const unset of [false, null]) {
    for (const mode of ['spaMode', 'custom404']) {
      test(`${mode}: ${unset}`, () => {
        expect(check({ [mode]: unset, cleanUrls: true })).toEqual({ $type, cleanUrls: true })
        expect(check({ [mode]: unset, directoryListing: true })).toEqual({
          $type,
          directoryListing: true,
        })
      })
    }
  }
})

describe('only one of the three', () => {
  const facts: [object, boolean][] = [
    [{ spaMode: 'a.html', custom404: 'b.html' }, false],
    [{ spaMode: 'a.html', directoryListing: true }, false],
    [{ directoryListing: true, custom404: 'b.html' }, false],
    [{ spaMode: 'a.html', directoryListing: true, custom404: 'b.html' }, false],
    [{ spaMode: true, directoryListing: true }, false],
    [{ spaMode: true, custom404: true, cleanUrls: 'yes' }, false],
    [{ spaMode: 'a.html', directoryListing: false, custom404: '' }, true],
    [{ spaMode: '', directoryListing: true, custom404: '' }, true],
    [{ custom404: 'b.html', cleanUrls: true }, true],
  ]
  for (const [settings, isAllowed] of facts) {
    test(JSON.stringify(settings), () => {
      expect(check(settings)).toEqual(isAllowed ? { $type, ...settings } : onlyOne)
    })
  }
})

const header = (facts: object) => ({ headers: [{ name: 'X-A', value: 'b', ...facts }] })
const times = <T>(count: number, item: T) => Array.from({ length: count }, () => item)

describe('refused, by the name of the field', () => {
  const facts: [string, unknown, string][] = [
    ['no object', [], 'body'],
    ['no object', null, 'body'],
    ['no object', 'cleanUrls', 'body'],
    ['no list', { indexFiles: 'index.html' }, 'indexFiles'],
    ['eleven of them', { indexFiles: times(11, 'a') }, 'indexFiles'],
    ['a way up', { indexFiles: ['../x'] }, 'indexFiles.0'],
    ['a folder', { indexFiles: ['index.html', 'a/b.html'] }, 'indexFiles.1'],
    ['an empty name', { indexFiles: [''] }, 'indexFiles.0'],
    ['a control character', { indexFiles: ['a\n'] }, 'indexFiles.0'],
    ['half a character', { indexFiles: ['\ud800'] }, 'indexFiles.0'],
    ['256 bytes', { indexFiles: ['é'.repeat(128)] }, 'indexFiles.0'],
    ['a word', { cleanUrls: 'true' }, 'cleanUrls'],
    ['a number', { directoryListing: 1 }, 'directoryListing'],
    ['null', { directoryListing: null }, 'directoryListing'],
    ['another word', { trailingSlash: 'sometimes' }, 'trailingSlash'],
    ['yes, but which file', { spaMode: true }, 'spaMode'],
    ['no as another type', { custom404: 0 }, 'custom404'],
    ['a leading slash', { spaMode: '/index.html' }, 'spaMode'],
    ['a way up', { custom404: 'a/../../b' }, 'custom404'],
    ['501 bytes', { spaMode: `${'a'.repeat(250)}/${'b'.repeat(250)}` }, 'spaMode'],
    ['no list', { headers: {} }, 'headers'],
    ['a length that is none', { headers: { length: { valueOf: 0, toString: 0 } } }, 'headers'],
    ['51 of them', { headers: times(51, { name: 'X-A', value: '' }) }, 'headers'],
    ['no header', { headers: ['X-A: b'] }, 'headers.0'],
    ['no name', { headers: [{ value: 'b' }] }, 'headers.0.name'],
    ['no value', { headers: [{ name: 'X-A' }] }, 'headers.0.value'],
    ['an empty name', header({ name: '' }), 'headers.0.name'],
    ['a space in the name', header({ name: 'X A' }), 'headers.0.name'],
    ['101 characters', header({ name: 'a'.repeat(101) }), 'headers.0.name'],
    ['a line break', header({ value: 'a\r\nSet-Cookie: x' }), 'headers.0.value'],
    ['other letters', header({ value: 'é' }), 'headers.0.value'],
    ['DEL', header({ value: '\x7f' }), 'headers.0.value'],
    ['1001 characters', header({ value: 'a'.repeat(1001) }), 'headers.0.value'],
    ['an empty pattern', header({ path: '' }), 'headers.0.path'],
    ['NUL in a pattern', header({ path: '/\0' }), 'headers.0.path'],
    ['half a character', header({ path: '/\ud800' }), 'headers.0.path'],
    ['501 bytes', header({ path: 'é'.repeat(251) }), 'headers.0.path'],
    ['what frames an answer', header({ name: 'Content-Length' }), 'headers.0.name'],
    ['what routes it', header({ name: 'lOCATION' }), 'headers.0.name'],
    ['what says whose bytes it is of', header({ name: 'X-Sitehost-Record' }), 'headers.0.name'],
    ['what would tell a password', header({ name: 'Basic-Auth' }), 'headers.0.name'],
  ]
  for (const [what, settings, field] of facts) {
    test(`${field}: ${what}`, () => {
      expect(check(settings)).toStartWith(`${field}: `)
    })
  }
})

describe('just within the limits', () => {
  const facts: [string, object][] = [
    ['ten index files', { indexFiles: times(10, 'a') }],
    ['255 bytes', { indexFiles: [`${'é'.repeat(127)}a`] }],
    ['500 bytes', { spaMode: `${'a'.repeat(249)}/${'b'.repeat(250)}` }],
    ['50 headers', { headers: times(50, { name: 'X-A', value: 'b' }) }],
    ['100 characters', header({ name: 'a'.repeat(100) })],
    ['1000 characters', header({ value: '~'.repeat(1000) })],
    ['500 bytes of pattern', header({ path: 'é'.repeat(250) })],
    ['every character of a token', header({ name: "!#$%&'*+-.^_`|~09azAZ" })],
    ['what only its own domain may say', header({ name: 'Strict-Transport-Security' })],
  ]
  for (const [what, settings] of facts) {
    test(what, () => expect(check(settings)).toEqual({ $type, ...settings }))
  }
})

describe('whatever comes in', () => {
  const text = fc.oneof(
    anyText(),
    fc.constantFrom('', 'index.html', 'X-A', '/*', '../x', 'auto', '__proto__'),
  )
  const header = fc.record({ name: text, value: text, path: text }, { requiredKeys: [] })
  const field = <T>(arb: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: arb }, fc.jsonValue())
  const nearly = fc.record(
    {
      indexFiles: field(fc.array(text)),
      cleanUrls: field(fc.boolean()),
      trailingSlash: field(text),
      directoryListing: field(fc.boolean()),
      spaMode: field(text),
      custom404: field(text),
      headers: field(fc.array(header)),
    },
    { requiredKeys: [] },
  )

  test('is a record that fits the lexicon, or is refused in a sentence', () => {
    let taken = 0
    fc.assert(
      fc.property(fc.oneof(nearly, fc.jsonValue(), fc.anything()), (input) => {
        const result = parseSettings(input)
        if (result.ok) {
          taken += 1
          expect(is(PlaceSitehostSettings.mainSchema, result.settings)).toBe(true)
          expect(parseSettings(result.settings)).toEqual(result)
        } else expect(result.error).not.toBe('')
      }),
      { numRuns: fuzzRunsOf(500), seed: 1 },
    )
    expect(taken).toBeGreaterThan(10)
  })
})
