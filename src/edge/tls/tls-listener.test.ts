import { afterEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { connect as connectTls, createSecureContext } from 'node:tls'
import { recordingLog } from '#tests/support/api.ts'
import { eventually } from '#tests/support/eventually.ts'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { ConnectionGate } from './connection-gate.ts'
import { listenTls, type TlsListener } from './tls-listener.ts'

let listener: TlsListener
afterEach(() => listener[Symbol.asyncDispose]())

interface SlowHandshake {
  readonly isWaiting: boolean
  readonly firstHandshakeMsMax: number
}

const handshakeMsMax = 20

/** A client sends the beginning of a handshake and no more. Resolves when the service has closed the connection, with its milliseconds. */
async function slowHandshake({ isWaiting, firstHandshakeMsMax }: SlowHandshake): Promise<number> {
  const gate = new ConnectionGate({ trustedProxies: [], now: () => performance.now() })
  listener = await listenTls({
    host: '127.0.0.1',
    port: 0,
    gate,
    log: recordingLog([]),
    accept: ({ stream }) => stream.destroy(),
    contexts: { contextOf: () => null, isWaiting },
    limits: { handshakeMsMax, firstHandshakeMsMax },
    onHandshake: () => undefined,
  })
  const started = performance.now()
  const socket = connect(listener.port, '127.0.0.1')
  const closed = Promise.withResolvers<void>()
  socket.on('close', () => closed.resolve())
  socket.on('error', () => undefined)
  socket.resume()
  // A record of 512 bytes, of which the first comes.
  socket.write(Buffer.from([22, 3, 1, 2, 0, 1]))
  await closed.promise
  await eventually(async () => expect(gate.total).toEqual({ connections: 0, handshakes: 0 }))
  return performance.now() - started
}

test('a handshake that takes too long is ended, and counts no more', async () => {
  // That it ends within this test is the bound from above: the longer limit is a minute.
  const tookMs = await slowHandshake({ isWaiting: false, firstHandshakeMsMax: 60_000 })
  expect(tookMs).toBeGreaterThan(handshakeMsMax - 2)
})

test('it may take longer while certificates are ordered, and not for ever', async () => {
  const firstHandshakeMsMax = 200
  const tookMs = await slowHandshake({ isWaiting: true, firstHandshakeMsMax })
  expect(tookMs).toBeGreaterThan(firstHandshakeMsMax - 2)
})

test('handshakes of one network that arrive together leave another network its turn', async () => {
  const asked = Promise.withResolvers<void>()
  const begin = Promise.withResolvers<void>()
  const context = createSecureContext({ cert: loopbackCertificate, key: loopbackCertificateKey })
  const flood = 30
  let waiting = 0
  const contextOf = async () => {
    waiting += 1
    if (waiting > flood) asked.resolve()
    await begin.promise
    return context
  }
  const order: string[] = []
  listener = await listenTls({
    host: '127.0.0.1',
    port: 0,
    gate: new ConnectionGate({ trustedProxies: [], now: () => performance.now() }),
    log: recordingLog([]),
    accept: ({ stream, visitor }) => {
      order.push(visitor.address)
      stream.destroy()
    },
    contexts: { contextOf, isWaiting: false },
    onHandshake: () => undefined,
  })
  const visit = (localAddress: string): void => {
    const to = { host: '127.0.0.1', port: listener.port, servername: 'a.example', localAddress }
    connectTls({ ...to, rejectUnauthorized: false }).on('error', () => undefined)
  }
  for (let count = 0; count < flood; count++) visit('127.0.0.1')
  await eventually(async () => expect(waiting).toBe(flood))
  visit('127.0.0.2')
  await asked.promise
  begin.resolve()
  await eventually(async () => expect(order).toHaveLength(flood + 1))
  expect(order.indexOf('127.0.0.2')).toBeLessThan(flood / 2)
})
