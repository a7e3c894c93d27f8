import { afterEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '#tests/support/eventually.ts'
import { listenTcp, type TcpListener } from './listen-tcp.ts'

let listener: TcpListener
const clients: Socket[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await listener[Symbol.asyncDispose]()
})

interface Bounds {
  readonly connectionMsMax: number
  readonly connectionsMax?: number
  readonly connectionsPerNetworkMax?: number
}
const listen = (options: Bounds) =>
  listenTcp({ host: '127.0.0.1', port: 0, onConnection: (socket) => socket.write('.'), ...options })

function open() {
  const client = connect(listener.port, '127.0.0.1')
  clients.push(client)
  client.on('error', () => undefined)
  const accepted = new Promise<void>((resolve) => client.once('data', () => resolve()))
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
  return { accepted, closed }
}

test('a connection is closed after its time', async () => {
  listener = await listen({ connectionMsMax: 20 })
  const { accepted, closed } = open()
  await accepted
  await closed
})

test('connections beyond the bound are closed at once', async () => {
  listener = await listen({ connectionMsMax: 60_000, connectionsMax: 2 })
  await Promise.all([open().accepted, open().accepted])
  await open().closed
})

test('connections of one network beyond its bound are closed at once, until it closes one', async () => {
  listener = await listen({ connectionMsMax: 60_000, connectionsPerNetworkMax: 2 })
  const first = open()
  await Promise.all([first.accepted, open().accepted])
  await open().closed
  clients[0]?.destroy()
  await first.closed
  const accepted = async () => {
    const next = open()
    return await Promise.race([next.accepted.then(() => true), next.closed.then(() => false)])
  }
  await eventually(async () => expect(await accepted()).toBe(true))
})

test('disposal closes what is open', async () => {
  listener = await listen({ connectionMsMax: 60_000 })
  const { accepted, closed } = open()
  await accepted
  await listener[Symbol.asyncDispose]()
  await closed
})

test('a port that is taken is the system’s error', async () => {
  listener = await listen({ connectionMsMax: 60_000 })
  const again = listenTcp({
    host: '127.0.0.1',
    port: listener.port,
    connectionMsMax: 60_000,
    onConnection: () => undefined,
  })
  await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
