import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { parseTrustedProxies } from '#http/client-address.ts'
import { visitorReader } from './read-visitor.ts'

const proxy = '10.0.0.1'
const trustedProxies = parseTrustedProxies(proxy) ?? []

const readerAt = (connection: string) =>
  visitorReader(
    { requestIP: () => ({ address: connection }), timeout: () => undefined },
    {
      isTrusted: (address) => address === proxy,
      connectionOf: () => connection,
      countryHeader: null,
      redirectsToHttps: false,
      trustedProxies,
    },
  )
const visit = (forwarded: string) =>
  new Request('http://blog.example/', { headers: { 'x-forwarded-for': forwarded } })

test('a visitor is counted by the address that a trusted proxy has seen', () => {
  const read = readerAt(proxy)
  for (const _ of ['first', 'again']) {
    expect(read(visit('192.0.2.7, 198.51.100.1')).network).toBe('198.51.100.1')
    expect(read(visit(`${'192.0.2.7, '.repeat(500)}198.51.100.2`)).network).toBe('198.51.100.2')
  }
  expect(readerAt('203.0.113.1')(visit('198.51.100.1')).network).toBe('203.0.113.1')
})

test.each([
  ['through a proxy', proxy],
  ['directly', '203.0.113.1'],
])('what visitors forge %s is not kept in memory', (_, connection) => {
  const read = readerAt(connection)
  const before = heapBytes()
  for (let n = 0; n < 2_000; n++) read(visit(`${'a'.repeat(10_000)}${n}, 198.51.100.1`))
  expect(heapBytes() - before).toBeLessThan(5_000_000)
  expect(read(visit('198.51.100.1')).network).not.toBe('')
})

function heapBytes(): number {
  Bun.gc(true)
  const { extraMemorySize, heapSize } = heapStats()
  return heapSize + extraMemorySize
}
