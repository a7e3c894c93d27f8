// `idle.ts <port> <host> <connections>`: opens connections, each of which gets a page, and keeps them. Prints `open`.
import { connect } from 'node:tls'

const [port = '', host = '', count = ''] = process.argv.slice(2)
const perTick = 40
const tickMs = 100

function openOne(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const to = { host: '127.0.0.1', port: Number(port), servername: host, rejectUnauthorized: false }
  const socket = connect(to, () => socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`))
  socket.once('data', () => resolve())
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('closed')))
  return promise
}

for (let opened = 0; opened < Number(count); opened += perTick) {
  const tick = Bun.sleep(tickMs)
  await Promise.all(Array.from({ length: perTick }, openOne))
  await tick
}
process.stdout.write('open\n')
