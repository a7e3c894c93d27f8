import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { requestTarget } from '#edge/request-target.ts'

test('it says what URL says of an address in its normal form', () => {
  const host = fc.constantFrom('http://h', 'http://h.test:8080', 'https://[::1]')
  fc.assert(
    fc.property(host, fc.webPath(), fc.string(), fc.string(), (origin, path, query, fragment) => {
      for (const input of [`${origin}${path}?${query}#${fragment}`, `${origin}/${query}`]) {
        const { href, pathname, search } = new URL(input)
        expect(requestTarget(href)).toEqual({ pathname, search })
      }
    }),
  )
})
