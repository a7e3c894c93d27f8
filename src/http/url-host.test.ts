import { expect, test } from 'bun:test'
import { urlHostOf } from './url-host.ts'

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '[::1]'],
  ['sitehost.example', 'sitehost.example'],
])('%s is the host %s', (address, host) => {
  expect(urlHostOf(address)).toBe(host)
  expect(new URL(`http://${host}:3000/`).hostname).toBe(host)
})
