import { afterEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { FirehoseConnection } from '#atproto/firehose/firehose-connection.ts'
import { eventually } from '../support/eventually.ts'

let cleanUp = new AsyncDisposableStack()
afterEach(async () => {
  await cleanUp.disposeAsync()
  cleanUp = new AsyncDisposableStack()
})

/** A server that is not one of WebSockets, but says `answer` to whatever it is asked first. */
function startRaw(answer: (key: string) => (string | Uint8Array)[]): URL {
  const server = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data(socket, bytes) {
        const key = /sec-websocket-key: (\S+)/i.exec(bytes.toString())?.[1]
        if (key !== undefined) for (const part of answer(key)) socket.write(part)
      },
    },
  })
  cleanUp.defer(() => server.stop(true))
  return new URL(`ws://127.0.0.1:${server.port}/path?token=secret`)
}

// RFC 6455 §4.2.2
function upgraded(key: string): string {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`
}

function connect(url: URL, { connectMs = 5_000, heartbeatMs = 20, isPaused = false } = {}) {
  const frames: unknown[] = []
  const { promise: opened, resolve } = Promise.withResolvers<void>()
  const onOpen = (): void => {
    if (isPaused) connection.pause()
    resolve()
  }
  const onFrame = (data: unknown): void => void frames.push(data)
  const times = { connectMs, heartbeatMs }
  const connection = new FirehoseConnection(url, { onOpen, onFrame }, times)
  cleanUp.defer(() => connection.end('over'))
  return { connection, frames, opened }
}

test('one that is not answered is given up', async () => {
  const { connection } = connect(
    startRaw(() => []),
    { connectMs: 20, heartbeatMs: 5_000 },
  )
  expect(await connection.ended).toBe('no answer')
})

test('a connection without any sign of life ends', async () => {
  const { connection, frames } = connect(
    startRaw((key) => [upgraded(key), Buffer.from([0x81, 2, 0x68, 0x69])]),
  )
  expect(await connection.ended).toBe('nothing was heard')
  expect(frames).toEqual(['hi'])
})

test('one that only answers pings is kept', async () => {
  let pings = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, self) => void self.upgrade(request),
    websocket: { message: () => undefined, ping: () => void pings++ },
  })
  cleanUp.defer(() => server.stop(true))
  // The second ping is sent only where the first was answered, in time.
  const { connection } = connect(new URL(`ws://127.0.0.1:${server.port}`), { heartbeatMs: 500 })
  await eventually(async () => expect(pings).toBe(2))
  connection.end('enough')
  expect(await connection.ended).toBe('enough')
})

test('one that we do not read is kept, until it is read again', async () => {
  const mute = startRaw((key) => [upgraded(key)])
  const { connection, opened } = connect(mute, { isPaused: true })
  await opened
  let hasEnded = false
  void connection.ended.then(() => {
    hasEnded = true
  })
  for (let i = 0; i < 2; i++) await connect(mute).connection.ended
  expect(hasEnded).toBe(false)
  connection.resume()
  expect(await connection.ended).toBe('nothing was heard')
})

test('redirects are not followed', async () => {
  let requests = 0
  const target = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      requests += 1
      return new Response()
    },
  })
  cleanUp.defer(() => target.stop(true))
  const redirect = `HTTP/1.1 302 Found\r\nLocation: ${target.url}\r\nContent-Length: 0\r\n\r\n`
  const { connection } = connect(startRaw(() => [redirect]))
  expect(await connection.ended).toContain('302')
  expect(requests).toBe(0)
})

test('a message over 128 MiB ends it before it is read', async () => {
  const header = Buffer.from([0x82, 127, 0, 0, 0, 0, 0x08, 0, 0, 1])
  const { connection, frames } = connect(startRaw((key) => [upgraded(key), header]))
  expect(await connection.ended).toContain('Message too big')
  expect(frames).toEqual([])
})

test("a failure's reason lacks the address", async () => {
  const { connection } = connect(new URL('ws://127.0.0.1:1/path?token=secret'))
  const reason = await connection.ended
  expect(reason).toContain('ECONNREFUSED')
  expect(reason).not.toContain('secret')
})
