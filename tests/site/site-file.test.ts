import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSiteFile } from '#site/upload/site-file.ts'

test('no text makes it throw', () => {
  const someJson = fc.json().map((text) => text)
  const near = fc
    .record({ site: fc.jsonValue(), settings: fc.jsonValue(), ignore: fc.jsonValue() })
    .map((value) => JSON.stringify(value))
  const text = fc.oneof(fc.string(), someJson, near)
  fc.assert(
    fc.property(text, (text) => {
      const result = parseSiteFile(text)
      if (!result.ok) expect(result.problem).toMatch(/^line \d+, column \d+: ./)
    }),
    { numRuns: 2000, seed: 1 },
  )
})
