import { describe, expect, test } from 'bun:test'
import { ForbiddenHostError, isPublicAddress, publicAddressOf } from './public-address.ts'

const signal = new AbortController().signal

describe('an address is public', () => {
  const facts: [string, boolean][] = [
    ['93.184.216.34', true],
    ['0.255.255.255', false],
    ['1.0.0.0', true],
    ['9.255.255.255', true],
    ['10.0.0.0', false],
    ['10.255.255.255', false],
    ['11.0.0.0', true],
    ['100.63.255.255', true],
    ['100.64.0.0', false],
    ['100.127.255.255', false],
    ['100.128.0.0', true],
    ['126.255.255.255', true],
    ['127.0.0.0', false],
    ['127.255.255.255', false],
    ['128.0.0.0', true],
    ['169.253.255.255', true],
    ['169.254.0.0', false],
    ['169.254.169.254', false],
    ['169.255.0.0', true],
    ['172.15.255.255', true],
    ['172.16.0.0', false],
    ['172.31.255.255', false],
    ['172.32.0.0', true],
    ['192.0.0.1', false],
    ['192.0.2.1', false],
    ['192.88.99.1', false],
    ['192.167.255.255', true],
    ['192.168.0.0', false],
    ['192.168.255.255', false],
    ['192.169.0.0', true],
    ['198.17.255.255', true],
    ['198.18.0.0', false],
    ['198.19.255.255', false],
    ['198.20.0.0', true],
    ['198.51.100.1', false],
    ['203.0.113.1', false],
    ['223.255.255.255', true],
    ['224.0.0.0', false],
    ['240.0.0.0', false],
    ['255.255.255.255', false],
    ['2606:2800:220:1:248:1893:25c8:1946', true],
    ['::', false],
    ['::1', false],
    ['::7f00:1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:93.184.216.34', false],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b:1::1', false],
    ['100::1', false],
    ['2001::1', false],
    ['2001:db8::1', false],
    ['2002:7f00:1::', false],
    ['3fff::1', false],
    ['5f00::1', false],
    ['4000::1', false],
    ['fc00::1', false],
    ['fdff::1', false],
    ['fe80::1', false],
    ['fec0::1', false],
    ['ff02::1', false],
    ['localhost', false],
    ['', false],
  ]
  test.each(facts)('%s: %p', (address, expected) => expect(isPublicAddress(address)).toBe(expected))
})

describe('the address of a host', () => {
  const facts: [string, string[], string | null][] = [
    ['pds.example', ['93.184.216.34'], '93.184.216.34'],
    ['pds.example.', ['93.184.216.34'], '93.184.216.34'],
    ['pds.example', ['93.184.216.34', '1.1.1.1'], '93.184.216.34'],
    ['93.184.216.34', [], '93.184.216.34'],
    ['[2606:2800:220:1:248:1893:25c8:1946]', [], '2606:2800:220:1:248:1893:25c8:1946'],
    ['pds.example', [], null],
    ['pds.example', ['127.0.0.1'], null],
    ['pds.example', ['93.184.216.34', '10.0.0.1'], null],
    ['pds.example', ['10.0.0.1', '93.184.216.34'], null],
    ['pds.example', ['93.184.216.34', '::1'], null],
    ['pds.example', ['93.184.216.34', 'nonsense'], null],
    ['127.0.0.1', ['93.184.216.34'], null],
    ['[::1]', ['93.184.216.34'], null],
    ['localhost', ['93.184.216.34'], null],
    ['localhost.', ['93.184.216.34'], null],
    ['a.localhost', ['93.184.216.34'], null],
  ]
  test.each(facts)('%s at %p: %p', async (hostname, addresses, expected) => {
    const finding = publicAddressOf(hostname, async () => addresses, signal)
    if (expected === null) await expect(finding).rejects.toBeInstanceOf(ForbiddenHostError)
    else expect(await finding).toBe(expected)
  })
})
