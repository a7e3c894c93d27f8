import { afterEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { eventually } from '#tests/support/eventually.ts'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { ConnectionGate } from './connection-gate.ts'
import type { AcceptConnection, ConnectionHandler } from './secure-connection.ts'
import {
  type ContextSource,
  type HandshakeEnd,
  listenTls,
  type TlsListener,
} from './tls-listener.ts'

let listener: TlsListener
afterEach(() => listener[Symbol.asyncDispose]())

interface SlowHandshake {
  readonly isWaiting: boolean
  readonly firstHandshakeMsMax: number
}

const handshakeMsMax = 20

const ignoring: ConnectionHandler = {
  data: () => undefined,
  drain: () => undefined,
  end: () => undefined,
  close: () => undefined,
}

const closeAtOnce: AcceptConnection = ({ socket }) => {
  socket.terminate()
  return ignoring
}

/** A client sends the beginning of a handshake and no more. Resolves when the service has closed the connection, with its milliseconds. */
async function slowHandshake({ isWaiting, firstHandshakeMsMax }: SlowHandshake): Promise<number> {
  const gate = new ConnectionGate({ trustedProxies: [], now: () => performance.now() })
  listener = listenTls({
    host: '127.0.0.1',
    port: 0,
    gate,
    log: recordingLog([]),
    accept: closeAtOnce,
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
  listener = listenTls({
    host: '127.0.0.1',
    port: 0,
    gate: new ConnectionGate({ trustedProxies: [], now: () => performance.now() }),
    log: recordingLog([]),
    accept: (connection) => {
      order.push(connection.visitor.address)
      return closeAtOnce(connection)
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

/** A listener with one certificate. What happens is in the arrays. */
function listenAs(contextOf: ContextSource['contextOf'], host = '127.0.0.1') {
  const logged: LoggedLine[] = []
  const ends: HandshakeEnd[] = []
  const gate = new ConnectionGate({ trustedProxies: [], now: () => performance.now() })
  listener = listenTls({
    host,
    port: 0,
    gate,
    log: recordingLog(logged),
    accept: () => ignoring,
    contexts: { contextOf, isWaiting: false },
    onHandshake: (end) => void ends.push(end),
  })
  const raw = connect(listener.port, '127.0.0.1')
  const client = connectTls({ socket: raw, servername: 'a.example', rejectUnauthorized: false })
  client.on('error', () => undefined)
  raw.on('error', () => undefined)
  return { client, ends, gate, logged, raw }
}

test('a client that breaks the protocol after its handshake is closed, and no error of ours', async () => {
  const context = createSecureContext({ cert: loopbackCertificate, key: loopbackCertificateKey })
  const { ends, gate, logged, raw } = listenAs(() => context)
  await eventually(async () => expect(ends).toEqual(['done']))
  // A record that nobody has encrypted.
  raw.write(Buffer.concat([Buffer.from([23, 3, 3, 0, 32]), Buffer.alloc(32)]))
  await eventually(async () => expect(gate.total.connections).toBe(0))
  expect(logged).toEqual([])
})

test('a client that leaves while its certificate is looked up counts no more, and its end once', async () => {
  const context = createSecureContext({ cert: loopbackCertificate, key: loopbackCertificateKey })
  const asked = Promise.withResolvers<void>()
  const found = Promise.withResolvers<SecureContext>()
  const { ends, gate, logged, raw } = listenAs(() => {
    asked.resolve()
    return found.promise
  })
  await asked.promise
  raw.destroy()
  await eventually(async () => expect(gate.total).toEqual({ connections: 0, handshakes: 0 }))
  found.resolve(context)
  await found.promise
  expect([ends, logged]).toEqual([['failed'], []])
})

test('each handshake ends in one way', async () => {
  const { client, ends, gate } = listenAs(() => null)
  await new Promise((closed) => client.once('close', closed))
  await eventually(async () => expect(gate.total.connections).toBe(0))
  expect(ends).toEqual(['unknown-name'])
})

test('at [::] it listens for IPv4 and IPv6', async () => {
  const context = createSecureContext({ cert: loopbackCertificate, key: loopbackCertificateKey })
  const { ends } = listenAs(() => context, '::')
  await eventually(async () => expect(ends).toEqual(['done']))
})

test('a client that resets its connection before it is accepted is no error of ours', async () => {
  const { client, ends, gate, logged } = listenAs(() => null)
  await eventually(async () => expect(ends).toEqual(['unknown-name']))
  client.destroy()
  // Nothing is accepted meanwhile.
  const reset = `require('net').connect(${listener.port}, '127.0.0.1', function () { this.resetAndDestroy() })`
  const { exitCode } = Bun.spawnSync([process.execPath, '-e', reset])
  expect(exitCode).toBe(0)
  // Accepted after it.
  connectTls({ host: '127.0.0.1', port: listener.port, servername: 'b.example' }).on(
    'error',
    () => undefined,
  )
  await eventually(async () => expect(ends).toEqual(['unknown-name', 'unknown-name']))
  await eventually(async () => expect(gate.total.connections).toBe(0))
  expect(logged).toEqual([])
})
