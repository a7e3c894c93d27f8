import { afterEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { recordingLog } from '#tests/support/api.ts'
import { eventually } from '#tests/support/eventually.ts'
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
