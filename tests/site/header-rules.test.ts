import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { HeaderList } from '#http/header-fields.ts'
import { applyHeaderRules } from '#site/rules/apply-header-rules.ts'
import { parseHeaderRules } from '#site/rules/header-rules.ts'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'

describe('whatever is written, and asked for', () => {
  const word = fc.constantFrom(
    '/',
    '*',
    ':a',
    ':',
    '!',
    ' ',
    '\n',
    '\r',
    '\n/',
    'X-A',
    ': ',
    'é',
    '\0',
  )
  const text = fc.oneof(
    anyText(),
    fc.array(fc.oneof(word, anyText({ maxLength: 3 }))).map((words) => words.join('')),
    fc.array(word).map((words) => `/*\nX-A: ${words.join('')}\nSet-Cookie: :splat`),
  )
  const setting = fc.record({ name: text, value: text, path: text })
  const own = { 'content-type': 'text/html', vary: 'accept-encoding', etag: '"a"' }

  test('is a list of headers that can be sent, ours among them', () => {
    fc.assert(
      fc.property(text, fc.array(setting), text, (file, settings, path) => {
        const { rules } = parseHeaderRules(file, settings)
        const place = { host: 'blog.test', pathname: `/${path}`, isUnderBaseDomain: false }
        const list = applyHeaderRules(rules, place, own)
        for (const [name, value] of list) {
          expect(name).toMatch(/^[a-z0-9!#$%&'*+.^_`|~-]+$/)
          expect(value).toMatch(/^[ -~]*$/)
        }
        const headers = new Headers(list.map(toPair))
        expect(headers.get('etag')).toBe('"a"')
        expect(headers.get('vary')).toStartWith('accept-encoding')
        expect(headers.get('content-type')).not.toBeNull()
      }),
      { numRuns: 2000 },
    )
  })

  test('takes no longer than its length', () => {
    const units = [
      '/:a',
      '/*\n',
      '/\n',
      'a:b\n',
      '!a\n',
      ':splat',
      ' ',
      'https://',
      'X-A: :splat\n',
    ]
    const spent = cpuMs(() => {
      for (const unit of units) {
        const { rules } = parseHeaderRules(`/*\n${unit.repeat(50_000)}`, [])
        const place = { host: 'a.test', pathname: '/a'.repeat(2000), isUnderBaseDomain: false }
        applyHeaderRules(rules, place, own)
      }
    })
    expect(spent).toBeLessThan(1000)
  })
})

const toPair = ([name, value]: HeaderList[number]): [string, string] => [name, value]
