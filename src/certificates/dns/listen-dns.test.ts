import { afterEach, expect, test } from 'bun:test'
import { promises } from 'node:dns'
import { connect } from 'node:net'
import dnsPacket from 'dns-packet'
import { recordingLog } from '#tests/support/api.ts'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { listenDns } from './listen-dns.ts'

const zone = { name: '_acme-challenge.sites.example', nameServer: 'app.example' }
let clock = 0
let values: string[] = []
let listening: AsyncDisposable
afterEach(() => listening[Symbol.asyncDispose]())

async function listen(): Promise<number> {
  const port = Number(await ownPort())
  listening = await listenDns({
    host: '127.0.0.1',
    port,
    zone,
    log: recordingLog([]),
    now: () => clock,
    values: async () => values,
  })
  return port
}

/** c-ares, which has no code in common with the answers, and has seen none of them. */
function resolverAt(port: number): promises.Resolver {
  const resolver = new promises.Resolver({ timeout: 2_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver
}

test('by UDP, and by TCP what is too long for it', async () => {
  const port = await listen()
  values = ['a'.repeat(43)]
  expect(await resolverAt(port).resolveTxt(zone.name)).toEqual([values])
  expect(await resolverAt(port).resolveNs(zone.name)).toEqual(['app.example'])
  values = Array.from({ length: 16 }, (_, n) => `${n}`.padEnd(43, 'b'))
  expect((await resolverAt(port).resolveTxt(zone.name)).flat().toSorted()).toEqual(
    values.toSorted(),
  )
  await expect(resolverAt(port).resolveTxt('other.example')).rejects.toThrow()
})

test('a connection that sends anything else is closed', async () => {
  const port = await listen()
  for (const sent of [
    Buffer.from([255, 255, 1, 2]),
    Buffer.alloc(600),
    Buffer.from([0, 2, 7, 7]),
  ]) {
    const socket = connect(port, '127.0.0.1')
    const closed = Promise.withResolvers<void>()
    socket.on('close', () => closed.resolve())
    socket.on('error', () => undefined)
    socket.resume()
    socket.write(sent)
    // The rest of what the first one promises never comes.
    if (sent.length === 4 && sent[0] === 255) socket.end()
    await closed.promise
  }
})

const queryFor = (name: string) =>
  dnsPacket.encode({ type: 'query', id: 7, questions: [{ type: 'TXT', name }] })

test('beyond the rate it asks to come by TCP; nothing but queries for the zone counts', async () => {
  const port = await listen()
  values = ['a'.repeat(43)]
  const answers = { whole: 0, truncated: 0, refused: 0 }
  const client = await Bun.udpSocket({
    connect: { hostname: '127.0.0.1', port },
    socket: {
      data(_, message) {
        const { flag_tc: isTruncated, flags = 0 } = dnsPacket.decode(message)
        answers[isTruncated ? 'truncated' : (flags & 0xf) === 5 ? 'refused' : 'whole']++
        expect(message.length <= query.length || !isTruncated).toBe(true)
      },
    },
  })
  const query = queryFor(zone.name)
  try {
    // At a time no more than a socket buffers: about 250.
    for (let n = 0; n < 20; n++) client.send(n % 2 === 0 ? query.subarray(0, 20) : 'junk')
    for (let n = 0; n < 220; n++) client.send(queryFor('other.example'))
    await eventually(async () => expect(answers.refused).toBe(200))
    for (let n = 0; n < 220; n++) client.send(query)
    await eventually(async () =>
      expect(answers).toEqual({ whole: 200, truncated: 20, refused: 200 }),
    )
    expect(await resolverAt(port).resolveTxt(zone.name)).toEqual(values.map((value) => [value]))
    clock += 1_000
    client.send(query)
    await eventually(async () => expect(answers.whole).toBe(201))
  } finally {
    client.close()
  }
})
