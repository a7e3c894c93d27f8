import { expect, test } from 'bun:test'
import { type DnsServerAddress, parseDnsServerAddress } from './dns-server-address.ts'

const facts: [string, DnsServerAddress | null][] = [
  ['9.9.9.9', { host: '9.9.9.9', port: 53 }],
  ['127.0.0.1:5353', { host: '127.0.0.1', port: 5353 }],
  ['2620:fe::fe', { host: '2620:fe::fe', port: 53 }],
  ['[::1]:1', { host: '::1', port: 1 }],
  ['[::1]:65535', { host: '::1', port: 65_535 }],
  ['[::1]:65536', null],
  ['127.0.0.1:0', null],
  ['127.0.0.1:', null],
  ['127.0.0.1:x', null],
  ['[127.0.0.1]:53', null],
  ['::1]:53', null],
  ['dns.example', null],
  ['dns.example:53', null],
  ['1.2.3', null],
  ['', null],
]
for (const [input, address] of facts) {
  test(JSON.stringify(input), () => expect(parseDnsServerAddress(input)).toEqual(address))
}
