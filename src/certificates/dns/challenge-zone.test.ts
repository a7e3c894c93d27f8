import { expect, test } from 'bun:test'
import dnsPacket, { type Packet } from 'dns-packet'
import { answerDns, challengeName, parseDnsQuery } from './challenge-zone.ts'

const zone = { name: '_acme-challenge.sites.example', nameServer: 'app.example' }
const values = ['a'.repeat(43), 'b'.repeat(43)]

async function answerTo(
  message: Buffer,
  isUdp = true,
  given: readonly string[] = values,
): Promise<Buffer | null> {
  const query = parseDnsQuery(message, zone)
  return query && (await answerDns(query, { isUdp, zone, values: async () => given }))
}

async function ask(type: string, name: string, given: readonly string[] = values, isUdp = true) {
  const query: Packet = {
    type: 'query',
    id: 7,
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ type: type as 'TXT', name }],
  }
  const message = await answerTo(dnsPacket.encode(query), isUdp, given)
  if (message === null) throw new Error('no answer')
  const { answers = [], authorities = [], flags = 0, id, questions } = dnsPacket.decode(message)
  return {
    code: flags & 0xf,
    isAuthoritative: (flags & dnsPacket.AUTHORITATIVE_ANSWER) !== 0,
    isTruncated: (flags & dnsPacket.TRUNCATED_RESPONSE) !== 0,
    answers: answers.map((answer) => ('data' in answer ? String(answer.data) : '')),
    authorities: authorities.map((answer) => answer.type),
    asked: [id, questions?.[0]?.name],
  }
}

test('the strings that authorities look for, whatever the case of the name', async () => {
  const name = '_ACME-challenge.sites.EXAMPLE'
  const answered = { code: 0, isAuthoritative: true, isTruncated: false, authorities: [] }
  expect(await ask('TXT', name)).toEqual({ ...answered, answers: values, asked: [7, name] })
  expect((await ask('TXT', zone.name, [])).authorities).toEqual(['SOA'])
})

test('its name server, by which one sees that it is delegated here', async () => {
  expect(await ask('NS', zone.name)).toMatchObject({ code: 0, answers: ['app.example'] })
  expect((await ask('SOA', zone.name)).answers).toHaveLength(1)
  expect(await ask('A', zone.name)).toMatchObject({ code: 0, answers: [], authorities: ['SOA'] })
})

test('names inside do not exist; all others are refused', async () => {
  expect(await ask('TXT', `x.${zone.name}`)).toMatchObject({ code: 3, authorities: ['SOA'] })
  for (const name of ['sites.example', 'x_acme-challenge.sites.example', 'example.com']) {
    expect(await ask('TXT', name)).toMatchObject({ code: 5, answers: [], authorities: [] })
  }
})

test('what is too long for UDP comes by TCP, within bounds', async () => {
  const many = Array.from({ length: 40 }, (_, n) => String(n).repeat(20))
  expect(await ask('TXT', zone.name, many)).toMatchObject({ isTruncated: true, answers: [] })
  expect((await ask('TXT', zone.name, many, false)).answers).toHaveLength(16)
})

test('the question comes back as it was sent, in answers of at most 512 bytes by UDP', async () => {
  const head = Buffer.from('000701000001000000000000', 'hex')
  const label = Buffer.alloc(46, 'x').fill(45, 0, 1)
  const name = dnsPacket.encode({ questions: [{ type: 'TXT', name: zone.name }] }).subarray(12)
  // A type that the library does not know, and a label with a dot and a space.
  const odd = Buffer.concat([head, Buffer.from([3]), Buffer.from('a. '), name])
  odd.writeUInt16BE(65, odd.length - 4)
  const long = Buffer.concat([head, label, label, label, label, name])
  for (const query of [odd, long]) {
    const answer = await answerTo(query)
    expect(answer?.subarray(12, query.length)).toEqual(query.subarray(12))
    expect(answer?.length).toBeLessThanOrEqual(512)
  }
  const compressed = Buffer.concat([head, Buffer.from('c00400100001', 'hex')])
  expect(await answerTo(compressed)).toBeNull()
})

test('no answer to what is no query', async () => {
  const response = dnsPacket.encode({
    type: 'response',
    id: 1,
    questions: [{ type: 'TXT', name: zone.name }],
  })
  const update = dnsPacket.encode({
    type: 'query',
    flags: 5 << 11,
    questions: [{ type: 'SOA', name: zone.name }],
  })
  const garbage = Buffer.from('c00cc00cc00c0001c00cc00c', 'hex')
  for (const message of [response, update, garbage, Buffer.alloc(0), Buffer.alloc(12)]) {
    expect(await answerTo(message)).toBeNull()
  }
})

test('a query with records of other sections is not answered, and none of them decoded', async () => {
  const query = (answers: number, authorities: number, additionals: number) => {
    const message = dnsPacket.encode({
      type: 'query',
      questions: [{ type: 'TXT', name: zone.name }],
    })
    for (const [n, count] of [answers, authorities, additionals].entries()) {
      message.writeUInt16BE(count, 6 + 2 * n)
    }
    // A HINFO record that is cut off: the library would continue from the first byte, as often as the counts say.
    return Buffer.concat([message, Buffer.from('00000d0001000000000000', 'hex')])
  }
  for (const [answers, authorities, additionals] of [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 3],
    [9, 9, 9],
  ] as const) {
    expect(await answerTo(query(answers, authorities, additionals))).toBeNull()
  }
  // EDNS, and a signature.
  expect(await answerTo(query(0, 0, 2))).not.toBeNull()
})

test('the zone of a wildcard is that of its domain', () => {
  expect(challengeName('*.sites.example')).toBe(zone.name)
})
