import { afterEach, beforeEach, expect, test } from 'bun:test'
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls'
import { codeOf } from '#observe/code-of.ts'
import { recordingLog } from '#tests/support/api.ts'
import { eventually } from '#tests/support/eventually.ts'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { unexpected } from '#tests/support/servers/unexpected.ts'
import { ConnectionGate } from './connection-gate.ts'
import { Http1Pipe } from './http1-pipe.ts'
import { defaultPipeLimits } from './pipe-to.ts'
import { listenTls, type TlsListener } from './tls-listener.ts'

const context = createSecureContext({ cert: loopbackCertificate, key: loopbackCertificateKey })
const serverName = 'a.sites.example'
/** Far more than the kernel keeps of a connection. */
const total = 100_000_000
const keptMax = 40_000_000
const block = Buffer.alloc(65_536)
const limits = { ...defaultPipeLimits, answeredMsMax: 100, lingerMsMax: 100 }

/** The inner server's end of a connection. */
type Inner = Bun.Socket<{ received: number; isClosed: boolean }>

let gate: ConnectionGate
let stalledMsMax: number
let listener: TlsListener
let inner: Bun.TCPSocketListener<Inner['data']>
let accepted: Inner[]
/** Inner servers that were not reached. */
let failures: unknown[]
let onInner: (socket: Inner) => void
let onDrain: (socket: Inner) => void
const clients: TLSSocket[] = []

beforeEach(() => {
  accepted = []
  failures = []
  stalledMsMax = limits.stalledMsMax
  onInner = () => undefined
  onDrain = () => undefined
  inner = Bun.listen<Inner['data']>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { received: 0, isClosed: false }
        accepted.push(socket)
        onInner(socket)
      },
      data(socket, bytes) {
        socket.data.received += bytes.length
      },
      drain: (socket) => onDrain(socket),
      close(socket) {
        socket.data.isClosed = true
      },
    },
  })
  gate = new ConnectionGate({ trustedProxies: [], now: () => performance.now() })
  listener = listenTls({
    host: '127.0.0.1',
    port: 0,
    gate,
    log: recordingLog([]),
    accept: (connection) =>
      new Http1Pipe(inner.port, (error) => failures.push(error), {
        ...limits,
        stalledMsMax,
      }).accept(connection),
    contexts: { contextOf: () => context, isWaiting: false },
    onHandshake: () => undefined,
  })
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await listener[Symbol.asyncDispose]()
  inner.stop(true)
})

function visit(): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const to = { host: '127.0.0.1', port: listener.port, servername: serverName }
  const client = connectTls({ ...to, rejectUnauthorized: false }, () => resolve(client))
  clients.push(client)
  client.on('error', reject)
  return promise
}

/** Resolves with the count once it does not grow any more. */
async function settled(count: () => number): Promise<number> {
  let [last, same] = [0, 0]
  await eventually(async () => {
    same = count() === last && last > 0 ? same + 1 : 0
    last = count()
    expect(same).toBeGreaterThan(20)
  })
  return last
}

test('a client that does not read holds up the server, and gets all of it later', async () => {
  let sent = 0
  const send = (socket: Inner): void => {
    while (sent < total) {
      const written = socket.write(block.subarray(0, Math.min(block.length, total - sent)))
      if (written <= 0) return
      sent += written
    }
    socket.end()
  }
  onInner = send
  onDrain = send
  const client = await visit()
  client.pause()
  expect(await settled(() => sent)).toBeLessThan(keptMax)
  let received = 0
  for await (const bytes of client) received += bytes.length
  expect(received).toBe(total)
})

test('a server that does not read holds up the client, and gets all of it later', async () => {
  onInner = (socket) => socket.pause()
  const client = await visit()
  let sent = 0
  const send = (): void => {
    while (sent < total) {
      sent += block.length
      if (!client.write(block)) return void client.once('drain', send)
    }
  }
  send()
  expect(await settled(() => client.bytesWritten)).toBeLessThan(keptMax)
  accepted[0]?.resume()
  await eventually(async () => expect(accepted[0]?.data.received).toBe(sent))
})

test('what the client sends before the inner connection is open arrives', async () => {
  const client = await visit()
  client.write('hello')
  await eventually(async () => expect(accepted[0]?.data.received).toBe(5))
})

test('when the server ends the connection, the client gets all, and its connection ends', async () => {
  onInner = (socket) => void socket.end('bye')
  const client = await visit()
  let text = ''
  for await (const bytes of client) text += bytes
  expect(text).toBe('bye')
  await eventually(async () => expect(gate.total.connections).toBe(0))
})

test('a client that reads its answer long after the server has ended the connection gets all of it', async () => {
  const client = await visit()
  client.pause()
  await eventually(async () => expect(accepted).toHaveLength(1))
  const answer = Buffer.alloc(1_000_000)
  let sent = 0
  onDrain = (socket) => {
    sent += Math.max(0, socket.write(answer.subarray(sent)))
    if (sent === answer.length) socket.end()
  }
  for (const socket of accepted) onDrain(socket)
  await eventually(async () => expect(gate.total.connections).toBe(0))
  let received = 0
  for await (const bytes of client) received += bytes.length
  expect(received).toBe(answer.length)
})

test('a client that reads nothing for too long is closed, though its server has more to send', async () => {
  stalledMsMax = 100
  onDrain = (socket) => {
    while (socket.write(block) === block.length);
  }
  onInner = onDrain
  const client = await visit()
  client.on('error', () => undefined)
  client.pause()
  await eventually(async () => expect(accepted).toHaveLength(1))
  await eventually(async () => expect(gate.total.connections).toBe(0))
  await eventually(async () => expect(accepted[0]?.data.isClosed).toBe(true))
})

test('when the client leaves, the inner connection ends', async () => {
  const client = await visit()
  await eventually(async () => expect(accepted).toHaveLength(1))
  client.destroy()
  await eventually(async () => expect(accepted[0]?.data.isClosed).toBe(true))
  expect(gate.total.connections).toBe(0)
})

test('a client whose inner server is gone sees its connection end, and that is reported', async () => {
  inner.stop(true)
  const client = await visit()
  client.resume()
  client.on('error', () => undefined)
  await eventually(async () => expect(client.destroyed).toBe(true))
  await eventually(async () => expect(gate.total.connections).toBe(0))
  expect(failures.map(codeOf)).toEqual(['ECONNREFUSED'])
})

test('a request from 127.0.0.2 with a visitor’s port is rejected', async () => {
  const pipe = new Http1Pipe(inner.port, unexpected)
  onInner = (socket) => void socket.write('hello')
  const { promise: hello, resolve } = Promise.withResolvers<void>()
  const visitor = { address: '192.0.2.7', serverName }
  const socket = {
    ...{ close: () => undefined, pause: () => false, resume: () => false },
    ...{ shutdown: () => undefined, terminate: () => undefined },
    write(bytes: Uint8Array) {
      resolve()
      return bytes.length
    },
  } as Parameters<typeof pipe.accept>[0]['socket']
  const connection = pipe.accept({ socket, visitor, isHttp2: false })
  await hello
  const port = accepted[0]?.remotePort ?? 0
  const visitorFrom = (address: string) =>
    pipe.visitorOf(new Request('http://a'), {
      port: inner.port,
      requestIP: () => ({ address, port, family: 'IPv4' }),
    })
  expect([visitorFrom('127.0.0.1'), visitorFrom('127.0.0.2')]).toEqual([visitor, null])
  connection.close()
})
