import { expect, test } from 'bun:test'
import dnsPacket, { type Answer } from 'dns-packet'
import { decodeAnswers, decodeHead } from './decode-dns.ts'

const name = 'a.example'
const answers: Answer[] = [
  { type: 'CNAME', name, ttl: 1, data: 'b.example' },
  { type: 'A', name: 'b.example', ttl: 1, data: '192.0.2.1' },
  { type: 'AAAA', name: 'b.example', ttl: 1, data: '2001:db8::1' },
  { type: 'NS', name, ttl: 1, data: 'ns.example' },
  { type: 'TXT', name, ttl: 1, data: [Buffer.from('x'), Buffer.from('y')] },
  { type: 'CAA', name, ttl: 1, data: { flags: 0, tag: 'issue', value: 'ca.example' } },
]
const encoded = dnsPacket.encode({
  type: 'response',
  id: 7,
  flags: 3,
  questions: [{ type: 'TXT', name }],
  // Not asked for by anybody here: skipped.
  answers: [{ type: 'HINFO', name, ttl: 1, data: { cpu: 'c', os: 'o' } }, ...answers],
})

const decode = (message: Buffer) => decodeAnswers(message, decodeHead(message))

test('the header, the question and the records that anybody asks for', () => {
  expect(decodeHead(encoded)).toMatchObject({
    id: 7,
    isResponse: true,
    flags: 3,
    question: { type: 'TXT', name },
    end: 12 + 11 + 4,
    counts: { answers: 7, authorities: 0, additionals: 0 },
  })
  expect(decode(encoded)).toMatchObject(answers)
})

test('whatever is cut off is refused', () => {
  for (let length = 0; length < encoded.length; length++) {
    expect(() => decode(encoded.subarray(0, length))).toThrow()
  }
})

/** A record of the root; `data` may have less than `length` says. */
const record = (type: number, length: number, data = Buffer.alloc(length)) =>
  Buffer.concat([Buffer.from([0, type >> 8, type, 0, 1, 0, 0, 0, 0, length >> 8, length]), data])

test('counts that nothing follows, and records whose end the library gets wrong, cost nothing', () => {
  const head = Buffer.from('0007800000010000000000000000100001', 'hex')
  // HINFO, SSHFP, NAPTR, SVCB: cut off, `decode.bytes` of the library is NaN.
  for (const type of [13, 44, 35, 64]) {
    for (const count of [2, 3, 65_535]) {
      const message = Buffer.concat([head, record(16, 400), record(type, 0)])
      for (const at of [6, 8, 10]) message.writeUInt16BE(count, at)
      if (count === 2) expect(decode(message)).toHaveLength(1)
      else expect(() => decode(message)).toThrow()
    }
  }
})
