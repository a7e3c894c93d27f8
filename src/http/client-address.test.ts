import { describe, expect, test } from 'bun:test'
import {
  clientAddress,
  clientNetwork,
  clientNetworkOf,
  isTrustedProxy,
  parseTrustedProxies,
} from './client-address.ts'

const trusted = parseTrustedProxies('127.0.0.1, 10.0.0.0/8, fd00::/8') ?? []

describe('the client is', () => {
  const facts: [what: string, connection: string, forwardedFor: string | null, client: string][] = [
    ['who connected', '203.0.113.9', null, '203.0.113.9'],
    ['who connected, whatever it writes', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['whom the front names', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['the last one named', '127.0.0.1', '192.0.2.1, 198.51.100.1', '198.51.100.1'],
    ['whom the last trusted front names', '127.0.0.1', '192.0.2.1, 10.1.2.3', '192.0.2.1'],
    ['the first front, when all are trusted', '127.0.0.1', '10.1.2.3, 10.1.2.4', '10.1.2.3'],
    ['the front, without a name', '127.0.0.1', null, '127.0.0.1'],
    ['the front, with an empty name', '127.0.0.1', '', '127.0.0.1'],
    ['the front, with a name that is none', '127.0.0.1', '192.0.2.1, unknown', '127.0.0.1'],
    ['the front, with a name in disguise', '127.0.0.1', '0x7f.1', '127.0.0.1'],
    ['without port', '127.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
    ['without brackets', '127.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['the same in both families', '::ffff:127.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['behind a front of the other family', 'fd00::1', '192.0.2.1', '192.0.2.1'],
    ['nobody who could be a front', 'fe80::1', '192.0.2.1', 'fe80::1'],
    ['written in one way', '2001:DB8:0:0::1', null, '2001:db8::1'],
    ['as it is, where it is no address', 'unix', '192.0.2.1', 'unix'],
  ]
  for (const [what, connection, forwardedFor, client] of facts) {
    test(`${what}: ${connection} for ${forwardedFor}`, () => {
      const headers = new Headers(forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor })
      expect(clientAddress(connection, headers, trusted)).toBe(client)
    })
  }

  test('never whom a client names beside its front', () => {
    const headers = new Headers({ 'x-forwarded-for': '10.0.0.1' })
    headers.append('x-forwarded-for', '203.0.113.9')
    expect(clientAddress('127.0.0.1', headers, trusted)).toBe('203.0.113.9')
  })
})

describe('a front', () => {
  const facts: [connection: string, isTrusted: boolean][] = [
    ['127.0.0.1', true],
    ['::ffff:127.0.0.1', true],
    ['10.255.0.1', true],
    ['fd00::1', true],
    ['127.0.0.2', false],
    ['203.0.113.9', false],
    ['0x7f.1', false],
    ['', false],
  ]
  for (const [connection, isTrusted] of facts) {
    test(`${connection}: ${isTrusted}`, () =>
      expect(isTrustedProxy(connection, trusted)).toBe(isTrusted))
  }
})

describe('counted as', () => {
  const facts: [string, string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['unix', 'unix'],
  ]
  for (const [address, network] of facts) {
    test(`${address}: ${network}`, () => expect(clientNetwork(address, 64)).toBe(network))
  }

  test('one of a wider prefix', () => {
    expect(clientNetwork('2001:db8:1:2:3:4:5:6', 48)).toBe('2001:db8:1::/48')
    expect(clientNetwork('192.0.2.1', 48)).toBe('192.0.2.1')
  })
})

test('the client of a request is counted as one, whoever passed the request on', () => {
  const request = new Request('http://sites.example', {
    headers: { 'x-forwarded-for': '2001:db8:1:2::7' },
  })
  const from = (address: string) => ({ requestIP: () => ({ address }) })
  expect(clientNetworkOf(request, from('127.0.0.1'), trusted)).toBe('2001:db8:1::/48')
  expect(clientNetworkOf(request, from('203.0.113.9'), trusted)).toBe('203.0.113.9')
  const gone = { requestIP: () => null }
  expect(clientNetworkOf(request, gone, trusted)).toBe(clientNetworkOf(request, undefined, trusted))
})

describe('a list of fronts', () => {
  for (const list of ['127.0.0.1', '::1', '10.0.0.0/8,fd00::/8', '0.0.0.0/0']) {
    test(list, () => expect(parseTrustedProxies(list)).toHaveLength(list.split(',').length))
  }
  const refused = ['', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', 'proxy']
  for (const list of [...refused, '127.1', '127.0.0.1,', '[::1]', '192.0.2.1:80']) {
    test(`${JSON.stringify(list)}: none`, () => expect(parseTrustedProxies(list)).toBeNull())
  }
})
