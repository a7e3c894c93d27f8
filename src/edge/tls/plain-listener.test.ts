import { afterEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '#tests/support/eventually.ts'
import { ConnectionGate } from './connection-gate.ts'
import { listenPlain, plainGateLimits } from './plain-listener.ts'
import type { ConnectionHandler } from './secure-connection.ts'

/** Nobody reads: as slow as it gets. */
const ignoring: ConnectionHandler = {
  data: () => undefined,
  drain: () => undefined,
  end: () => undefined,
  close: () => undefined,
}

let listening: Disposable
const clients: Socket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  listening[Symbol.dispose]()
})

function listen({ connectionMsMax }: { readonly connectionMsMax?: number } = {}) {
  const gate = new ConnectionGate({ trustedProxies: [], limits: plainGateLimits, now: () => 0 })
  const accept = () => ignoring
  const listener = listenPlain({
    host: '127.0.0.1',
    port: 0,
    gate,
    accept,
    ...(connectionMsMax !== undefined && { connectionMsMax }),
  })
  listening = listener
  /** Resolves when the connection is closed. */
  const open = (): Promise<void> => {
    const client = connect(listener.port, '127.0.0.1')
    clients.push(client)
    client.resume()
    client.on('error', () => undefined)
    return new Promise((resolve) => client.once('close', () => resolve()))
  }
  return { gate, open }
}

test('a network has so many connections, and no more', async () => {
  const { gate, open } = listen()
  const { connectionsPerNetworkMax } = plainGateLimits
  for (let n = 0; n < connectionsPerNetworkMax; n++) void open()
  await eventually(async () => expect(gate.total.connections).toBe(connectionsPerNetworkMax))
  await open()
  expect(gate.total.connections).toBe(connectionsPerNetworkMax)
})

test('a connection is closed after its time, and counts no more', async () => {
  const { gate, open } = listen({ connectionMsMax: 30 })
  await open()
  await eventually(async () => expect(gate.total.connections).toBe(0))
})
