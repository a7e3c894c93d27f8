import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { DnsType } from '#outbound/dns/ask-dns-server.ts'
import { parseDnsServerAddress } from '#outbound/dns/dns-server-address.ts'
import { createLookUp, type DnsAnswer, type LookUp } from '#outbound/dns/look-up.ts'
import { type DnsName, startDnsServer } from '#tests/support/servers/dns-server.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const manyValues = Array.from({ length: 300 }, (_, n) => `value ${n} of many, and rather long`)

const silent = 'silent.example'
const zone: Record<string, DnsName> = {
  'one.example': { txt: [did], a: ['192.0.2.1', '192.0.2.2'] },
  'two.example': { txt: [did, 'other'] },
  'chunks.example': { txt: [[did.slice(0, 9), did.slice(9)], 'other'] },
  'split-letter.example': {
    txt: [[Buffer.from('日').subarray(0, 1), Buffer.from('日').subarray(1)]],
  },
  'empty-value.example': { txt: ['', did] },
  'many.example': { txt: manyValues },
  'long.example': { txt: [['a'.repeat(255), 'b'.repeat(255), 'c'.repeat(255)]] },
  'no-text.example': { a: ['192.0.2.1'] },
  'alias.example': { cname: 'other-alias.example' },
  'other-alias.example': { cname: 'one.example' },
  'dangling.example': { cname: 'nobody.example' },
  'circle.example': { cname: 'circle-2.example' },
  'circle-2.example': { cname: 'circle.example' },
  'own-circle.example': { cname: 'own-circle.example' },
  'xn--r8jz45g.example': { txt: [did] },
  'failing.example': 'failing',
  [silent]: 'silent',
}

const server = await startDnsServer(zone)
const servers = [server]
if (networkInterfaces()['lo']?.some(({ address }) => address === '::1')) {
  servers.push(await startDnsServer(zone, { host: '::1' }))
}
afterAll(async () => {
  for (const each of servers) await each[Symbol.asyncDispose]()
})
beforeEach(() => void server.questions.splice(0))

function lookUpAt(addresses: readonly string[], signal = new AbortController().signal): LookUp {
  const servers = addresses.map(parseDnsServerAddress).filter((address) => address !== null)
  const [patient, impatient] = [10_000, 50].map((patienceMs) =>
    createLookUp({ servers, signal, patienceMs }),
  ) as [LookUp, LookUp]
  // Only where no answer comes: those that do may take their time.
  return (type, name, asking) => (name === silent ? impatient : patient)(type, name, asking)
}

describe('the values', () => {
  const found = (...values: string[]): DnsAnswer => ({ answered: true, values })
  const facts: [string, DnsType, string, DnsAnswer][] = [
    ['a value', 'TXT', 'one.example', found(did)],
    ['values', 'TXT', 'two.example', found(did, 'other')],
    ['chunks are one value', 'TXT', 'chunks.example', found(did, 'other')],
    ['chunks are bytes', 'TXT', 'split-letter.example', found('日')],
    ['an empty value', 'TXT', 'empty-value.example', found('', did)],
    ['what fits no datagram', 'TXT', 'many.example', found(...manyValues)],
    [
      'a long value',
      'TXT',
      'long.example',
      found('a'.repeat(255) + 'b'.repeat(255) + 'c'.repeat(255)),
    ],
    ['a name with other records', 'TXT', 'no-text.example', found()],
    ['no such name', 'TXT', 'nobody.example', found()],
    ['an alias', 'TXT', 'alias.example', found(did)],
    ['an alias of nothing', 'TXT', 'dangling.example', found()],
    ['aliases in a circle', 'TXT', 'circle.example', found()],
    ['its own alias', 'TXT', 'own-circle.example', found()],
    ['an internationalised name', 'TXT', 'xn--r8jz45g.example', found(did)],
    ['a failure', 'TXT', 'failing.example', { answered: false, reason: 'failing' }],
    ['silence', 'TXT', 'silent.example', { answered: false, reason: 'silent' }],
    ['an alias itself', 'CNAME', 'alias.example', found('other-alias.example')],
    ['no alias', 'CNAME', 'one.example', found()],
    ['addresses', 'A', 'one.example', found('192.0.2.1', '192.0.2.2')],
    ['addresses of an alias', 'A', 'alias.example', found('192.0.2.1', '192.0.2.2')],
    ['no addresses of the other family', 'AAAA', 'one.example', found()],
  ]
  for (const [what, type, name, answer] of facts) {
    test(`${what}: ${type} ${name}`, async () => {
      for (const { address } of servers) {
        expect(await lookUpAt([address])(type, name)).toEqual(answer)
      }
    })
  }
})

describe('the server that is asked', () => {
  const nobody = '127.0.0.1:9'
  const unreachable = '255.255.255.255'

  test('a server that is silent or fails is asked twice', async () => {
    await lookUpAt([server.address])('TXT', 'silent.example')
    await lookUpAt([server.address])('TXT', 'failing.example')
    const asked = ['silent', 'silent', 'failing', 'failing'].map((name) => `TXT ${name}.example`)
    expect(server.questions).toEqual(asked)
  })

  test('the next one after a server that is silent or fails', async () => {
    await using failing = await startDnsServer({ 'one.example': 'failing' })
    const lookUp = lookUpAt([nobody, unreachable, failing.address, server.address])
    expect(await lookUp('TXT', 'one.example')).toEqual({ answered: true, values: [did] })
  })

  test('none, when no server listens', async () => {
    expect(await lookUpAt([nobody])('TXT', 'one.example')).toEqual({
      answered: false,
      reason: 'silent',
    })
  })

  test('the first that answers "no such name"', async () => {
    await using other = await startDnsServer({ 'new.example': { txt: [did] } })
    expect(await lookUpAt([server.address, other.address])('TXT', 'new.example')).toEqual({
      answered: true,
      values: [],
    })
    expect(other.questions).toEqual([])
  })

  test("no server after the service's signal is aborted", async () => {
    const lookUp = lookUpAt([server.address], AbortSignal.abort())
    expect(await lookUp('TXT', 'one.example')).toEqual({ answered: false, reason: 'silent' })
    expect(server.questions).toEqual([])
  })

  test('stopping ends a look-up', async () => {
    const stop = new AbortController()
    const lookUp = createLookUp({
      servers: [parseDnsServerAddress(server.address) ?? { host: '', port: 0 }],
      signal: stop.signal,
      patienceMs: 60_000,
    })
    const looking = lookUp('TXT', 'silent.example')
    stop.abort()
    expect(await looking).toEqual({ answered: false, reason: 'silent' })
  })
})

test('answers to other questions, and messages that are not DNS, are ignored', async () => {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  socket.on('message', (message, peer) => {
    const otherId = Buffer.from(message)
    otherId.writeUInt16BE((message.readUInt16BE(0) + 1) % 65_536, 0)
    for (const answer of [otherId, message, Buffer.from('x'), Buffer.alloc(0)]) {
      socket.send(answer, peer.port, peer.address)
    }
  })
  const address = `127.0.0.1:${socket.address().port}`
  expect(await lookUpAt([address])('TXT', silent)).toEqual({
    answered: false,
    reason: 'silent',
  })
  socket.close()
})

test('a connection that ends before the answer does is no answer', async () => {
  const tcp = createServer((connection) => connection.end(Buffer.from([255, 255, 1])))
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
  const { port } = tcp.address() as { port: number }
  const udp = createSocket('udp4')
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve))
  udp.on('message', (message, peer) => {
    message.writeUInt16BE(0x8780, 2) // an answer that did not fit
    udp.send(message, peer.port, peer.address)
  })
  expect(await lookUpAt([`127.0.0.1:${port}`])('TXT', 'one.example')).toEqual({
    answered: false,
    reason: 'silent',
  })
  udp.close()
  tcp.close()
})

test('an aborted caller asks no more, and other callers continue', async () => {
  const lookUp = lookUpAt([server.address])
  const stop = new AbortController()
  const asking = lookUp('TXT', 'silent.example', stop.signal)
  const other = lookUp('TXT', 'one.example')
  stop.abort()
  expect(await asking).toEqual({ answered: false, reason: 'silent' })
  expect(await other).toEqual({ answered: true, values: [did] })
})
