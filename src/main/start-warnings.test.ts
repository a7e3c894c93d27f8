import { expect, test } from 'bun:test'
import { startWarnings } from './start-warnings.ts'

const facts: [string, string, RegExp[]][] = [
  ['https://sitehost.com', 'sitehost-sites.com', []],
  ['http://127.0.0.1:3000', 'localhost', []],
  ['http://[::1]:3000', 'localhost', []],
  ['https://sitehost.com', 'sites.sitehost.com', [/one registered domain/]],
  ['https://app.sitehost.com:8443', 'sitehost.com', [/one registered domain/]],
  ['http://sitehost.com', 'sites.net', [/http/]],
]
for (const [origin, baseDomain, warnings] of facts) {
  test(`${origin} with sites below ${baseDomain}: ${warnings.length} warnings`, () => {
    const given = startWarnings({ origin, baseDomain })
    expect(given).toHaveLength(warnings.length)
    warnings.forEach((warning, i) => {
      expect(given[i]).toMatch(warning)
    })
  })
}
