// `flood.ts <port> <host>`: begins as many handshakes as it can, each with the same first message, so that they cost nobody but the
// server. Ends when it is killed.

import { type AddressInfo, createServer } from 'node:net'
import { connect as connectTls } from 'node:tls'

const [port = '', host = ''] = process.argv.slice(2)
const atOnce = 64

async function firstMessage(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const server = createServer((socket) => socket.once('data', resolve))
  server.listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const to = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  const client = connectTls({ ...to, servername: host, ALPNProtocols: ['http/1.1'] })
  client.on('error', () => undefined)
  const message = await promise
  client.destroy()
  server.close()
  return message
}

const message = await firstMessage()

async function handshakes(): Promise<void> {
  while (true) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = {
      open: (opened: Bun.Socket) => void opened.write(message),
      // The server has signed.
      data: (answered: Bun.Socket) => void answered.terminate(),
      close: () => resolve(),
      error: () => resolve(),
    }
    await Bun.connect({ hostname: '127.0.0.1', port: Number(port), socket }).catch(resolve)
    await promise
  }
}

process.stdout.write('flooding\n')
await Promise.all(Array.from({ length: atOnce }, handshakes))
