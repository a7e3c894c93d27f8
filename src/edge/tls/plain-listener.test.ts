import { afterEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { ConnectionGate } from './connection-gate.ts'
import { listenPlain, plainGateLimits } from './plain-listener.ts'

let listening: AsyncDisposable
const clients: Socket[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await listening[Symbol.asyncDispose]()
})

async function listen({ connectionMsMax }: { readonly connectionMsMax?: number } = {}) {
  const port = Number(await ownPort())
  const gate = new ConnectionGate({ trustedProxies: [], limits: plainGateLimits, now: () => 0 })
  // Nobody reads: as slow as it gets.
  const accept = () => undefined
  listening = await listenPlain({
    host: '127.0.0.1',
    port,
    gate,
    accept,
    ...(connectionMsMax !== undefined && { connectionMsMax }),
  })
  /** Resolves when the connection is closed. */
  const open = (): Promise<void> => {
    const client = connect(port, '127.0.0.1')
    clients.push(client)
    client.resume()
    client.on('error', () => undefined)
    return new Promise((resolve) => client.once('close', () => resolve()))
  }
  return { gate, open }
}

test('a network has so many connections, and no more', async () => {
  const { gate, open } = await listen()
  const { connectionsPerNetworkMax } = plainGateLimits
  for (let n = 0; n < connectionsPerNetworkMax; n++) void open()
  await eventually(async () => expect(gate.total.connections).toBe(connectionsPerNetworkMax))
  await open()
  expect(gate.total.connections).toBe(connectionsPerNetworkMax)
})

test('a connection is closed after its time, and counts no more', async () => {
  const { gate, open } = await listen({ connectionMsMax: 30 })
  await open()
  await eventually(async () => expect(gate.total.connections).toBe(0))
})
