import { expect, test } from 'bun:test'
import { cookieWarning } from './cookie-warning.ts'

test.each([
  ['https://sitehost.com', 'sitehost-sites.com', null],
  ['http://127.0.0.1:3000', 'localhost', null],
  ['http://[::1]:3000', 'localhost', null],
  ['https://sitehost.com', 'sites.sitehost.com', 'one registered domain, sitehost.com:'],
  ['https://app.sitehost.com:8443', 'sitehost.com', 'one registered domain, sitehost.com:'],
])('%s with sites below %s: the warning is %p', (origin, baseDomain, warning) => {
  const given = cookieWarning({ origin, baseDomain })
  if (warning === null) expect(given).toBeNull()
  else expect(given).toContain(warning)
})
