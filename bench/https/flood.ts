// `flood.ts <port> <host>`: begins handshakes at a steady rate and leaves each when the server has answered, until it is killed. Each
// sends the same first message, so that they cost almost nobody but the server. Prints `flooding` once it is at it, and at its end how many
// were answered since. Port 0: at a server of its own that answers anything at once, so that the core of the load does the same and no other.
import { type AddressInfo, createServer } from 'node:net'
import { connect as connectTls } from 'node:tls'

const [port = '', host = ''] = process.argv.slice(2)
/** More than the product lets through, and no more than nginx can answer. */
const perSecond = 1_500
const atOnce = 64
const warmUpHandshakes = 500

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

function listenHere(): number {
  const socket = { data: (asked: Bun.Socket) => void asked.write('?') }
  return Bun.listen({ hostname: '127.0.0.1', port: 0, socket }).port
}

const message = await firstMessage()
const to = { hostname: '127.0.0.1', port: Number(port) || listenHere() }
let open = 0
let answered = 0
let isWarm = false

async function handshake(): Promise<void> {
  open += 1
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = {
    open: (opened: Bun.Socket) => void opened.write(message),
    // The server has signed.
    data: (signed: Bun.Socket) => {
      answered += 1
      signed.terminate()
    },
    close: () => resolve(),
    error: () => resolve(),
  }
  await Bun.connect({ ...to, socket }).catch(resolve)
  await promise
  open -= 1
}

process.once('SIGTERM', () => {
  process.stdout.write(`${answered}\n`)
  process.exit()
})
let begunAt = performance.now()
while (true) {
  const now = performance.now()
  for (; begunAt < now; begunAt += 1_000 / perSecond) if (open < atOnce) void handshake()
  if (!isWarm && answered >= warmUpHandshakes) {
    isWarm = true
    answered = 0
    process.stdout.write('flooding\n')
  }
  await Bun.sleep(1)
}
