import { afterEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { recordingLog } from '#tests/support/api.ts'
import { eventually } from '#tests/support/eventually.ts'
import { ConnectionGate } from './connection-gate.ts'
import { listenTls, type TlsListener } from './tls-listener.ts'

let listener: TlsListener
afterEach(() => listener[Symbol.asyncDispose]())

/** How long a client may take that sends the beginning of a handshake and no more; the limits are 30 and 120 ms. */
async function slowHandshake({ isWaiting }: { readonly isWaiting: boolean }): Promise<number> {
  const gate = new ConnectionGate({ trustedProxies: [], now: () => performance.now() })
  listener = await listenTls({
    host: '127.0.0.1',
    port: 0,
    gate,
    log: recordingLog([]),
    accept: ({ stream }) => stream.destroy(),
    contexts: { contextOf: () => null, isWaiting },
    limits: { handshakeMsMax: 30, firstHandshakeMsMax: 120 },
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
  expect(await slowHandshake({ isWaiting: false })).toBeGreaterThan(25)
})

test('it may take longer while certificates are ordered, and not for ever', async () => {
  expect(await slowHandshake({ isWaiting: true })).toBeGreaterThan(110)
})
